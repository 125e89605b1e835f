package verify

import "github.com/fagus-dsm/fagus/fagus"

// Everything returns the set that requests all guards with shared access. A rank that verifies
// the data bound to the guards acquires this set.
func Everything(n *fagus.Node, guards []*fagus.SyncVar) *fagus.SyncSet {
	wants := make([]fagus.Request, len(guards))
	for i, v := range guards {
		wants[i] = fagus.Want(v, fagus.Shared)
	}
	return n.Set(wants...)
}
