package stream

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

// nic is the memory of a node, and the rules for frames that access it.
type nic struct {
	memory.NIC
	limits dimmnet.Limits
	sums   Sums
}

// newNIC returns a nic with the given memory, or with new memory if m is nil.
func newNIC(m *memory.NIC, limits dimmnet.Limits, s Sums) nic {
	if m != nil {
		return nic{NIC: *m, limits: limits, sums: s}
	}
	return nic{NIC: memory.NewNIC(limits.LLCM, limits.Bulk), limits: limits, sums: s}
}

func (m *nic) bytes(off dimmnet.Offset, n int) []byte {
	words, off := m.AtNetwork(off)
	return words.Bytes()[off:][:n:n]
}
