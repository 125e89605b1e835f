package csession

import (
	"maps"
	"slices"
)

// ledger records one rank's variables, sets and tenures. Client and Serve keep equal ledgers.
type ledger struct {
	spans    [][]Span         // spans of each variable, by its number
	accesses []map[int]Access // by number of the set: the access to each variable in the set
	had      map[int]Access   // access to each variable that was ever acquired
	held     int              // number of the held set; -1 if none is held
}

func newLedger() ledger { return ledger{had: make(map[int]Access), held: -1} }

func (l *ledger) addVariable(spans []Span) { l.spans = append(l.spans, slices.Clone(spans)) }
func (l *ledger) addSet()                  { l.accesses = append(l.accesses, make(map[int]Access)) }

func (l *ledger) acquired(set int) {
	l.held = set
	maps.Copy(l.had, l.accesses[set])
}

// released ends the tenure of set and returns its exclusive variables' memory; nil if not held.
func (l *ledger) released(set int, memory func(array int) []byte) [][]byte {
	if set < 0 || set != l.held {
		return nil
	}
	l.held = -1
	return l.parts(l.accesses[set], Exclusive, memory)
}

// parts returns the memory of the variables whose access is least or higher, ordered by variable.
func (l *ledger) parts(variables map[int]Access, least Access, memory func(array int) []byte) (parts [][]byte) {
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
