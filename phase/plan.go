package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Plan is what all ranks do in one phase.
type Plan struct {
	Granted   []bool             // by rank: whether the acquire list is granted
	Complete  syncvar.Call       // the call that all ranks are in, except Acquire; else 0
	Transfers []syncvar.Transfer // in the same order on every rank
	Partial   bool               // one phase cannot move all data, so this phase grants nothing
}

// newPlan derives the plan of a phase from the lists of all ranks and from the replicated table,
// and changes neither. Every rank derives the same plan. Plan.Granted uses the memory of buf if
// buf is large enough. If table is nil, the plan has no transfers.
//
// newPlan fails if two ranks wait in calls that can never complete; the error names both.
func newPlan(buf []bool, phase uint64, lists []syncvar.List, table *syncvar.Table) (Plan, error) {
	if err := syncvar.CheckFence(lists); err != nil {
		return Plan{}, fmt.Errorf("phase: %w", err)
	}
	complete, err := completed(lists)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Complete: complete, Granted: syncvar.Grant(buf, phase, lists)}
	switch {
	case table == nil:
	case complete == syncvar.Update:
		plan.Transfers = table.Updates()
	default:
		plan.Transfers = table.Acquisitions(lists, plan.Granted)
	}
	return plan, nil
}

// completed returns the call that all ranks are in if it is not Acquire, else 0. It fails if two
// ranks wait for all ranks in different calls.
func completed(lists []syncvar.List) (syncvar.Call, error) {
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
