package verify

import (
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Everything returns the set that requests all guards with shared access. A rank that verifies
// the data bound to the guards acquires this set.
func Everything(n *fagus.Node, guards []*fagus.SyncVar) *fagus.SyncSet {
	wants := make([]fagus.Request, len(guards))
	for i, v := range guards {
		wants[i] = fagus.Want(v, fagus.Shared)
	}
	return n.Set(wants...)
}

// Publish copies values to this rank's block, and returns when all ranks have published theirs.
// The rank that verifies can then acquire all blocks.
func Publish[T any](n *fagus.Node, to *parts.Blocks[T], values []T) error {
	if err := n.During(n.Set(to.WantMine(fagus.Exclusive)...), func() error {
		copy(to.Mine(), values)
		return nil
	}); err != nil {
		return err
	}
	return n.Barrier()
}
