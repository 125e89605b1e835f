package stream

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/memory"
)

// nic is the memory of a node.
type nic struct {
	limits dimmnet.Limits
	llcm   memory.Words
	bulk   memory.Words

	sums Sums
}

func newNIC(limits dimmnet.Limits, s Sums) nic {
	return nic{limits: limits, sums: s, llcm: make(memory.Words, limits.LLCM/word), bulk: make(memory.Words, limits.Bulk/word)}
}

// place is where off is: in the LLCM, or in the bulk memory.
func (m *nic) place(off dimmnet.Offset) (memory.Words, dimmnet.Offset) {
	if int64(off) >= int64(m.limits.LLCM) {
		return m.bulk, off - dimmnet.Offset(m.limits.LLCM)
	}
	return m.llcm, off
}

// bytes are n bytes of memory at off.
func (m *nic) bytes(off dimmnet.Offset, n int) []byte {
	words, off := m.place(off)
	return words.Bytes()[off:][:n:n]
}

// copy copies n bytes within the memory.
func (m *nic) copy(to, from dimmnet.Offset, n int) {
	into, to := m.place(to)
	out, from := m.place(from)
	memory.Copy(into, to, out, from, n)
}
