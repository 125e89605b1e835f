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
	held  int            // a set; -1 if there is none
}

func newLedger() ledger { return ledger{had: make(map[int]Mode), held: -1} }

// addVariable adds a variable.
func (l *ledger) addVariable(spans []Span) { l.spans = append(l.spans, slices.Clone(spans)) }

// addSet adds a set.
func (l *ledger) addSet() { l.modes = append(l.modes, make(map[int]Mode)) }

// acquired says that a set is held now.
func (l *ledger) acquired(set int) {
	l.held = set
	maps.Copy(l.had, l.modes[set])
}

// released is the memory of what set has exclusively, if that is what is held. It is not, from now on.
func (l *ledger) released(set int, memory func(array int) []byte) [][]byte {
	if set < 0 || set != l.held {
		return nil
	}
	l.held = -1
	return l.parts(l.modes[set], Exclusive, memory)
}

// parts is the memory of variables that are wanted in a mode of at least least, in order.
func (l *ledger) parts(variables map[int]Mode, least Mode, memory func(array int) []byte) (parts [][]byte) {
	for _, v := range slices.Sorted(maps.Keys(variables)) {
		if variables[v] < least {
			continue
		}
		for _, p := range l.spans[v] {
			parts = append(parts, memory(p.Array)[p.Offset:][:p.Bytes])
		}
	}
	return parts
}
