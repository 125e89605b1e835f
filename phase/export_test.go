package phase

import "github.com/fagus-dsm/fagus/syncvar"

// NewPlan returns the plan of a phase, with transfers from table.
func NewPlan(phase uint64, lists []syncvar.List, table *syncvar.Table) (Plan, error) {
	var p Plan
	err := p.derive(nil, phase, lists, table)
	return p, err
}

// Again returns the list for the next phase of a call that the last phase, with list l, has not
// completed.
func (e *Engine) Again(l syncvar.List) syncvar.List {
	e.again(&l)
	return l
}
