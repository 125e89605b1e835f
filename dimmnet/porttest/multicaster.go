package porttest

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Multicaster is a port that does a Multicast by Stores, and counts it as one.
type Multicaster struct {
	dimmnet.Port
	Multicasts int // posted so far
	Reached    int // ranks that they went to, one by one
	limit      int
	copies     dimmnet.Counters // what the port below has counted too much
}

// Multicasting wraps ports, each in a *Multicaster, so that they reach limit ranks
// at once; with limit 0 they cannot multicast. The ports below need no Multicast.
// They must not refuse a Store while they have not failed, or Multicast panics.
func Multicasting(limit int) func(dimmnet.Port) dimmnet.Port {
	return func(p dimmnet.Port) dimmnet.Port { return &Multicaster{Port: p, limit: limit} }
}

// Limits are those of the port below but for Multicast.
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
