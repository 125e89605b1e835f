package target

import (
	"maps"
	"slices"
)

// ledger is what both ends of a connection know of what was made: so they agree on which bytes travel.
type ledger struct {
	spans [][]Span       // of each variable
	modes []map[int]Mode // of each set: its variables
	had   map[int]Mode   // variables that were acquired
}

func newLedger() ledger { return ledger{had: make(map[int]Mode)} }

// each calls f with the memory of what variables guard that are wanted in a mode of at least least, in order.
func (l *ledger) each(variables map[int]Mode, least Mode, memory func(array int) []byte, f func(part []byte)) {
	for _, v := range slices.Sorted(maps.Keys(variables)) {
		if variables[v] < least {
			continue
		}
		for _, p := range l.spans[v] {
			f(memory(p.Array)[p.Offset:][:p.Bytes])
		}
	}
}

// gather is what there is in variables, one after another.
func (l *ledger) gather(variables map[int]Mode, least Mode, memory func(array int) []byte) (data []byte) {
	l.each(variables, least, memory, func(part []byte) { data = append(data, part...) })
	return data
}

// scatter is the reverse. It says whether data has as many bytes as the variables.
func (l *ledger) scatter(variables map[int]Mode, least Mode, memory func(array int) []byte, data []byte) bool {
	fits := true
	l.each(variables, least, memory, func(part []byte) {
		n := copy(part, data)
		data, fits = data[n:], fits && n == len(part)
	})
	return fits && len(data) == 0
}
