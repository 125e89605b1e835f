package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// Plan is what all ranks do in one phase.
type Plan struct {
	Granted   []bool             // by rank: the acquire list is granted
	Complete  syncvar.Call       // if all ranks are in it, and it is not Acquire; else 0
	Transfers []syncvar.Transfer // in the same order on every rank
	Partial   bool               // more transfers are needed than a phase can do: nothing is granted yet
}

// NewPlan derives the plan of a phase from the lists of all ranks and the table
// that they share. It changes neither; every rank comes to the same plan.
//
// An error names the ranks whose calls can never come together.
func NewPlan(phase uint64, lists []syncvar.List, table *syncvar.Table) (Plan, error) {
	return newPlan(nil, phase, lists, table)
}

// newPlan is NewPlan, with room for what it grants. Without a table nothing has to move.
func newPlan(room []bool, phase uint64, lists []syncvar.List, table *syncvar.Table) (Plan, error) {
	complete, err := completed(lists)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Complete: complete, Granted: syncvar.Grant(room, phase, lists)}
	switch {
	case table == nil:
	case complete == syncvar.Update:
		plan.Transfers = table.Updates()
	default:
		plan.Transfers = table.Acquisitions(lists, plan.Granted)
	}
	return plan, nil
}

// completed is the call other than Acquire that all ranks are in, or 0. Two
// ranks that wait for all in different calls are an error.
func completed(lists []syncvar.List) (syncvar.Call, error) {
	first, waiting := 0, 0 // the first rank that waits for all, and how many do
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
