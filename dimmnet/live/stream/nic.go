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

func newNIC(limits dimmnet.Limits, s Sums) nic {
	return nic{NIC: memory.NewNIC(limits.LLCM, limits.Bulk), limits: limits, sums: s}
}

func (m *nic) bytes(off dimmnet.Offset, n int) []byte {
	words, off := m.AtNetwork(off)
	return words.Bytes()[off:][:n:n]
}
