package fagus

import (
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Wrote says that the rank has written to ranges, or is about to, of variables that it holds and has asked
// for with [Request.Telling]. Each range lies in one variable. What is said twice counts once; what is not changed may
// be said, too, but moves then.
func (n *Node) Wrote(ranges ...Range) error {
	if n.held == nil {
		return n.errorf("Wrote without a tenure: Acquire what was written first")
	}
	rs, err := n.checkRanges(ranges)
	if err != nil {
		return n.errorf("Wrote: %w", err)
	}
	for _, r := range rs {
		id, err := n.told(r)
		if err != nil {
			return err
		}
		n.space.Tell(id, r)
	}
	return nil
}

// told is the variable that r is said to be written of.
func (n *Node) told(r consistency.Range) (syncvar.ID, error) {
	id, _, err := n.space.Guard(r)
	if err != nil {
		return 0, n.errorf("Wrote: no variable guards all of %s", n.space.Describe(r))
	}
	at := slices.Index(n.held.exclusive, id)
	switch {
	case at < 0:
		return 0, n.errorf("Wrote: %s: %q is not held exclusively", n.space.Describe(r), n.space.Name(id))
	case n.held.declared[at] == nil || n.held.allowed[at] != nil:
		return 0, n.errorf("Wrote: %q is to be found out, or declared by Writing: want it Exclusive, and Telling", n.space.Name(id))
	}
	return id, nil
}
