package phase

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// quiet returns an error if the rank still has something to send or receive in its present state.
func (a *automaton) quiet(rank dimmnet.Rank) error {
	n := &a.members[rank]
	for q := range a.members {
		if n.leftList[q] || n.dueList[q] || len(n.left[q]) > 0 || len(n.due[q]) > 0 || a.rings[rank][q].busy || a.rings[q][rank].owing {
			return fmt.Errorf("goes on while data move between it and rank %d", q)
		}
	}
	return nil
}

// rest returns an error unless every rank is between phases and every frame is taken.
func (a *automaton) rest() error {
	for r := range a.members {
		if a.members[r].state != between {
			return fmt.Errorf("the trace ends with rank %d in state %d", r, a.members[r].state)
		}
		for q := range a.members {
			if n := len(a.rings[r][q].frames); n > 0 {
				return fmt.Errorf("the trace ends with %d frames from rank %d to rank %d", n, r, q)
			}
		}
	}
	return nil
}

// plan decides which lists are granted. Nothing is granted behind a Fence unless all lists are
// behind it. Older lists come first; lists of the same age come by rank, rotated by the phase. The
// owner sends data to the granted ranks that lack the newest version.
func (a *automaton) plan(rank dimmnet.Rank) error {
	n := &a.members[rank]
	if n.state != gather {
		return fmt.Errorf("plans in state %d", n.state)
	}
	if err := a.quiet(rank); err != nil {
		return err
	}
	n.state = transfer
	n.open = !slices.ContainsFunc(n.lists, func(l *syncvar.List) bool { return !l.Fenced })
	n.granted = a.grant(n)
	for q, l := range n.lists {
		if !n.granted[q] {
			continue
		}
		for _, id := range slices.Concat(l.Shared, l.Exclusive) {
			owner := n.owner[id]
			switch {
			case n.fresh[id][q]:
			case rank == owner:
				n.left[q][id] = a.sizes[id]
			case int(rank) == q:
				n.due[owner][id] = a.sizes[id]
			}
		}
	}
	return nil
}

func (a *automaton) grant(n *member) []bool {
	nodes := len(a.members)
	granted := make([]bool, nodes)
	taken := make([]syncvar.Access, len(a.sizes))
	for since := uint64(0); since <= n.phase; since++ {
		for turn := range nodes {
			r := int((n.phase + uint64(turn)) % uint64(nodes))
			l := n.lists[r]
			if l.Call != syncvar.Acquire || l.Fenced && !n.open || l.Since != since || a.refused(taken, l) {
				continue
			}
			granted[r] = true
			for _, id := range l.Shared {
				taken[id] = syncvar.Shared
			}
			for _, id := range l.Exclusive {
				taken[id] = syncvar.Exclusive
			}
		}
	}
	return granted
}

// refused reports whether an earlier grant excludes l.
func (a *automaton) refused(taken []syncvar.Access, l *syncvar.List) bool {
	return slices.ContainsFunc(l.Exclusive, func(id syncvar.ID) bool { return taken[id] != 0 }) ||
		slices.ContainsFunc(l.Shared, func(id syncvar.ID) bool { return taken[id] == syncvar.Exclusive })
}

// done records the grants of the phase in the rank's table and begins the rank's tenures.
func (a *automaton) done(m *move) error {
	n := &a.members[m.from]
	if n.state != transfer {
		return fmt.Errorf("is done in state %d", n.state)
	}
	if err := a.quiet(m.from); err != nil {
		return err
	}
	for q, l := range n.lists {
		if !n.granted[q] {
			continue
		}
		for _, id := range l.Shared {
			n.fresh[id][q] = true
		}
		for _, id := range l.Exclusive {
			n.owner[id] = dimmnet.Rank(q)
			clear(n.fresh[id])
			n.fresh[id][q] = true
		}
	}
	own := n.lists[m.from]
	n.behind = n.behind && !n.open
	clear(n.lists)
	n.state = between
	n.phase++
	switch {
	case m.granted != n.granted[m.from]:
		return fmt.Errorf("granted is %v, by the lists it is %v", m.granted, n.granted[m.from])
	case m.granted:
		return a.tenure(m, own)
	case own.Call == syncvar.Acquire && !n.behind:
		if n.waited++; n.waited == len(a.members) {
			return fmt.Errorf("waits since phase %d, for more phases than there are other ranks", own.Since)
		}
	}
	return nil
}

// tenure checks that the rank may hold the variable that it was granted, and begins its tenure.
func (a *automaton) tenure(m *move, l *syncvar.List) error {
	for _, id := range slices.Concat(l.Shared, l.Exclusive) {
		if m.stamps[id] != stamp(a.versions[id]) {
			return fmt.Errorf("its copy of variable %d has version %d, want %d", id, m.stamps[id], a.versions[id])
		}
	}
	for q := range a.members {
		if called := a.members[q].fences; called < a.members[m.from].fences {
			return fmt.Errorf("has called %d Fences, and rank %d has called %d", a.members[m.from].fences, q, called)
		}
		held := &a.members[q].held
		for _, id := range l.Exclusive {
			if slices.Contains(held.Shared, id) || slices.Contains(held.Exclusive, id) {
				return fmt.Errorf("gets variable %d, which rank %d has", id, q)
			}
		}
		for _, id := range l.Shared {
			if slices.Contains(held.Exclusive, id) {
				return fmt.Errorf("gets variable %d, which rank %d writes", id, q)
			}
		}
	}
	a.members[m.from].held = *l
	for _, id := range l.Exclusive {
		a.versions[id]++
	}
	return nil
}

// stamp returns the value that exclusive tenure number version writes to all bytes of a variable.
func stamp(version uint64) byte { return byte(version) }
