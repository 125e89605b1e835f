package fagus

import (
	"slices"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Wrote reports that the rank has written, or is about to write, ranges of variables that
// it holds with [Request.Reporting]. Each range lies within one variable. Ranges may
// overlap earlier reports. A reported range counts as changed even if its contents stay
// the same, so it is transferred to other ranks.
func (n *Node) Wrote(ranges ...Range) error {
	if n.status.err != nil {
		return n.status.err
	}
	if n.held == nil {
		return n.problem("Wrote: no set is held: acquire first what guards the data (of a List its Write; of an array v.Write().Reporting())")
	}
	rs, err := n.checkRanges(ranges)
	if err != nil {
		return n.problem("Wrote: %w", err)
	}
	for _, r := range rs {
		id, err := n.reportedVariable(r)
		if err != nil {
			return err
		}
		n.space.Wrote(id, r)
	}
	return nil
}

// reportedVariable returns the variable that guards r; the rank must hold it with Reporting.
func (n *Node) reportedVariable(r consistency.Range) (syncvar.ID, error) {
	id, _, err := n.space.Guard(r)
	if err != nil {
		return 0, n.problem("Wrote: no single variable guards all of %s: report the part of each variable by itself", n.space.Describe(r))
	}
	at := slices.Index(n.held.exclusive, id)
	switch {
	case at < 0:
		return 0, n.problem("Wrote: %s: %q is not held exclusively: acquire it with fagus.Exclusive and Reporting", n.space.Describe(r), n.space.Name(id))
	case n.held.declared[at] == nil || n.held.allowed[at] != nil:
		return 0, n.problem("Wrote: %q was not requested with Reporting: acquire it with fagus.Want(v, fagus.Exclusive).Reporting()",
			n.space.Name(id))
	}
	return id, nil
}
