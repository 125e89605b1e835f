package phase

import "github.com/fagus-dsm/fagus/syncvar"

// NewPlan returns the plan of a phase, with transfers from table.
func NewPlan(phase uint64, lists []syncvar.List, table *syncvar.Table) (Plan, error) {
	return newPlan(nil, phase, lists, table)
}
