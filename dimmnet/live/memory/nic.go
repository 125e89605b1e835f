package memory

import "github.com/fagus-dsm/fagus/dimmnet"

// NIC is the memory of one node: the LLCM and the two sides of the bulk memory. Where the bulk
// memory has only one side, Host and Network are the same words.
type NIC struct {
	LLCM    Words
	Host    Words // Fill and Read use this side of the bulk memory
	Network Words // Push and Pull use this side
}

// NewNIC returns a NIC with one side of bulk memory. The sizes, in bytes, are multiples of 8.
func NewNIC(llcm, bulk int) NIC {
	side := make(Words, bulk/word)
	return NIC{LLCM: make(Words, llcm/word), Host: side, Network: side}
}

// locate returns the memory that contains off, the LLCM or side, and the offset in that memory.
func (m *NIC) locate(off dimmnet.Offset, side Words) (Words, dimmnet.Offset) {
	if llcm := dimmnet.Offset(len(m.LLCM) * word); off >= llcm {
		return side, off - llcm
	}
	return m.LLCM, off
}

// AtHost returns the memory that a host access to off uses, and the offset in that memory.
func (m *NIC) AtHost(off dimmnet.Offset) (Words, dimmnet.Offset) { return m.locate(off, m.Host) }

// AtNetwork returns the memory that a Push or Pull at off uses, and the offset in that memory.
func (m *NIC) AtNetwork(off dimmnet.Offset) (Words, dimmnet.Offset) { return m.locate(off, m.Network) }

// CopyNIC copies n bytes between NICs as a Push or Pull does. The ranges must not overlap.
func CopyNIC(dst *NIC, to dimmnet.Offset, src *NIC, from dimmnet.Offset, n int) {
	into, to := dst.AtNetwork(to)
	out, from := src.AtNetwork(from)
	Copy(into, to, out, from, n)
}
