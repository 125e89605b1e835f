package phase

import (
	"fmt"

	"github.com/fagus-dsm/fagus/syncvar"
)

// Plan is what all ranks do in one phase.
type Plan struct {
	Granted   []bool             // by rank: the acquire list is granted
	Complete  syncvar.Call       // Update, Barrier or End if all ranks are in it, else 0
	Transfers []syncvar.Transfer // in the same order on every rank
}

// NewPlan derives the plan of a phase from the lists of all ranks and the table
// that they share. It changes neither; every rank comes to the same plan.
//
// An error names the ranks whose calls can never come together.
func NewPlan(phase uint64, lists []syncvar.List, table *syncvar.Table) (Plan, error) {
	if err := checkCalls(lists); err != nil {
		return Plan{}, err
	}
	complete := lists[0].Call
	for i := range lists {
		if lists[i].Call != complete {
			complete = 0
			break
		}
	}
	switch complete {
	case syncvar.Update:
		return Plan{Complete: complete, Granted: make([]bool, len(lists)), Transfers: table.Updates()}, nil
	case syncvar.Barrier, syncvar.End:
		return Plan{Complete: complete, Granted: make([]bool, len(lists))}, nil
	}
	granted := syncvar.Grant(phase, lists)
	return Plan{Granted: granted, Transfers: table.Acquisitions(lists, granted)}, nil
}

// checkCalls reports two ranks that wait for all in different calls.
func checkCalls(lists []syncvar.List) error {
	first := -1
	for r := range lists {
		if lists[r].Call == syncvar.Acquire {
			continue
		}
		if first < 0 {
			first = r
			continue
		}
		if a, b := lists[first].Call, lists[r].Call; a != b {
			return fmt.Errorf("phase: rank %d %s, but rank %d %s; "+
				"all ranks must call Update and Barrier in the same order, and none may return before", first, did(a), r, did(b))
		}
	}
	return nil
}

func did(c syncvar.Call) string {
	if c == syncvar.End {
		return "has returned"
	}
	return "calls " + c.String()
}
