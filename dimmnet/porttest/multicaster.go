package porttest

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Multicaster is a port that performs a Multicast by Stores and counts it as one Store.
type Multicaster struct {
	dimmnet.Port
	Multicasts int // Multicasts posted so far
	Reached    int // sum over all Multicasts of the number of ranks
	limit      int
	copies     dimmnet.Counters // what the port below has counted in excess
}

// Multicasting wraps each port in a *Multicaster whose Limits.Multicast is limit; 0 means none.
// The ports below need not support Multicast. They may refuse a Store only when they have failed;
// otherwise Multicast panics.
func Multicasting(limit int) func(dimmnet.Port) dimmnet.Port {
	return func(p dimmnet.Port) dimmnet.Port { return &Multicaster{Port: p, limit: limit} }
}

// Limits returns the limits of the port below, with the Multicaster's limit of Multicast.
func (m *Multicaster) Limits() dimmnet.Limits {
	l := m.Port.Limits()
	l.Multicast = m.limit
	return l
}

// Multicast stores to one rank after the other.
func (m *Multicaster) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	limits := m.Limits()
	limits.CheckMulticast(m.Nodes(), dsts, off, size)
	for i, dst := range dsts {
		if m.Store(dst, off, v, size) {
			continue
		}
		if m.Err() == nil {
			panic(fmt.Sprintf("porttest: Multicast over a port that refused Store %d of %d", i+1, len(dsts)))
		}
		return false
	}
	more := uint64(len(dsts) - 1)
	m.copies = m.copies.Plus(dimmnet.Counters{Stores: more, Bytes: more * uint64(size)})
	m.Multicasts, m.Reached = m.Multicasts+1, m.Reached+len(dsts)
	return true
}

// Counters counts a Multicast as one Store.
func (m *Multicaster) Counters() dimmnet.Counters { return m.Port.Counters().Minus(m.copies) }
