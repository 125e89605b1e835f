package agreement

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Plan is what all ranks do in one phase.
type Plan struct {
	Granted   []bool             // by rank: whether the acquire list is granted
	Complete  syncvar.Call       // the call in which all ranks are, unless it is Acquire; else 0
	Transfers []syncvar.Transfer // in the same order on every rank
}

// Derive derives the plan of a phase from the lists of all ranks and from the replicated table,
// and changes neither. Every rank derives the same plan. It uses the memory of p and m. If table
// is nil, the plan has no transfers.
//
// Derive fails if two ranks wait in calls that can never complete; the error names both.
func (p *Plan) Derive(m *syncvar.Granting, phase uint64, lists []syncvar.List, table *syncvar.Table) (err error) {
	if err := syncvar.CheckFence(lists); err != nil {
		return fmt.Errorf("phase: %w", err)
	}
	if p.Complete, err = Completed(lists); err != nil {
		return err
	}
	p.Granted, p.Transfers = syncvar.Grant(m, phase, lists), p.Transfers[:0]
	switch {
	case table == nil:
	case p.Complete == syncvar.Update:
		p.Transfers = table.Updates(p.Transfers)
	default:
		p.Transfers = table.Acquisitions(p.Transfers, lists, p.Granted)
	}
	return nil
}

// Completed returns the call in which all ranks are, or 0 if that is Acquire or they are in
// several. It fails if two ranks wait for all ranks in different calls.
func Completed(lists []syncvar.List) (syncvar.Call, error) {
	first, waiting := 0, 0 // the first rank that waits for all ranks, and how many such ranks
	for r := range lists {
		if lists[r].Call == syncvar.Acquire {
			continue
		}
		if waiting == 0 {
			first = r
		}
		waiting++
		if err := syncvar.CheckMeeting(dimmnet.Rank(first), lists[first].Call, dimmnet.Rank(r), lists[r].Call); err != nil {
			return 0, fmt.Errorf("phase: %w", err)
		}
	}
	if waiting < len(lists) {
		return 0, nil
	}
	return lists[first].Call, nil
}
