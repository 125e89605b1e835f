package locks

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// model is a lock whose ranks take one step at a time, with the queue as a plain list.
type model struct {
	state state
	queue []syncvar.Access // of the waiting ranks, in order; kept by the model, not by the state
	ranks []dimmnet.Rank
	holds map[dimmnet.Rank]syncvar.Access
}

// TestStates takes a lock through all sequences of acquires and releases of 3 ranks. The state
// must agree with a model that keeps a list.
func TestStates(t *testing.T) {
	const nodes, depth = 3, 9
	seen := make(map[string]bool)
	var visit func(m model, path string, left int)
	visit = func(m model, path string, left int) {
		if err := m.check(nodes); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		key := fmt.Sprint(m)
		if left == 0 || seen[key] {
			return
		}
		seen[key] = true
		for r := dimmnet.Rank(0); r < nodes; r++ {
			if _, ok := m.holds[r]; ok {
				visit(m.release(r), fmt.Sprintf("%s, %d releases", path, r), left-1)
			} else if !slices.Contains(m.ranks, r) {
				for _, a := range []syncvar.Access{syncvar.Shared, syncvar.Exclusive} {
					visit(m.acquire(r, a), fmt.Sprintf("%s, %d acquires %v", path, r, a), left-1)
				}
			}
		}
	}
	visit(model{holds: map[dimmnet.Rank]syncvar.Access{}}, "", depth)
	if len(seen) < 100 {
		t.Errorf("only %d states", len(seen))
	}
}

func (m model) clone() model {
	holds := make(map[dimmnet.Rank]syncvar.Access)
	for r, a := range m.holds {
		holds[r] = a
	}
	return model{m.state, slices.Clone(m.queue), slices.Clone(m.ranks), holds}
}

func (m model) acquire(r dimmnet.Rank, a syncvar.Access) model {
	m = m.clone()
	next, granted := m.state.acquire(r, a)
	if granted {
		m.holds[r] = a
	} else {
		m.queue, m.ranks = append(m.queue, a), append(m.ranks, r)
	}
	m.state = next
	return m
}

// release releases the lock, and hands it over as handOver does when its list is the whole queue.
func (m model) release(r dimmnet.Rank) model {
	m = m.clone()
	next, done := m.state.release(r)
	delete(m.holds, r)
	if done && m.state&polls == 0 || done && len(m.holds) > 0 {
		m.state = next
		return m
	}
	n := 1
	for m.queue[0] == syncvar.Shared && n < len(m.queue) && m.queue[n] == syncvar.Shared {
		n++
	}
	for i := range n {
		m.holds[m.ranks[i]] = m.queue[i]
	}
	if !done {
		next = m.state.taken().handOver(m.ranks[0], n, m.queue[0], n < len(m.queue))
	}
	m.state, m.queue, m.ranks = next, m.queue[n:], m.ranks[n:]
	return m
}

// check compares the state with the model.
func (m model) check(nodes int) error {
	s := m.state
	if err := s.check(nodes); err != nil {
		return err
	}
	writes := false
	for r, a := range m.holds {
		writes = writes || a == syncvar.Exclusive
		if len(m.holds) == 1 && s&left == 0 && s.holder() != r {
			return fmt.Errorf("%#x: rank %d holds, not %d", uint64(s), r, s.holder())
		}
	}
	_, named := m.holds[s.holder()]
	switch {
	case s.holders() != len(m.holds) || writes != (s&exclusive != 0) || writes && len(m.holds) > 1:
		return fmt.Errorf("%#x: %v hold", uint64(s), m.holds)
	case s.waited() != (len(m.queue) > 0) || len(m.queue) > 0 && len(m.holds) == 0:
		return fmt.Errorf("%#x: %v wait, and %v hold", uint64(s), m.ranks, m.holds)
	case (s&polls != 0) && (len(m.queue) != 1 || !s.polledBy(m.ranks[0]) || (s&wants != 0) != (m.queue[0] == syncvar.Exclusive)):
		return fmt.Errorf("%#x: %v wait for %v", uint64(s), m.ranks, m.queue)
	case len(m.holds) > 0 && s&left == 0 && !named:
		return fmt.Errorf("%#x names rank %d, but %v hold", uint64(s), s.holder(), m.holds)
	}
	for _, r := range m.ranks {
		if s.passedTo(r) {
			return fmt.Errorf("%#x tells rank %d, which waits, that it holds", uint64(s), r)
		}
	}
	return nil
}

// TestStateTexts checks how errors describe states.
func TestStateTexts(t *testing.T) {
	one := held(3, 1, syncvar.Exclusive)
	several := held(2, 3, syncvar.Shared)
	after, _ := several.release(2)
	for want, s := range map[string]state{"no rank holds": 0, "rank 3 holds": one, "rank 2 and 2 more hold": several, "2 ranks hold": after} {
		if got := s.String(); got != want {
			t.Errorf("%#x: %q, want %q", uint64(s), got, want)
		}
	}
}

// TestStateCheck: words that no rank writes are refused.
func TestStateCheck(t *testing.T) {
	for name, s := range map[string]state{
		"too many holders":   5,
		"unknown holder":     held(4, 1, syncvar.Shared),
		"unknown waiter":     held(0, 1, syncvar.Shared).withLast(5),
		"two writers":        held(0, 2, syncvar.Exclusive),
		"waits, nobody has":  state(0).withLast(1),
		"nobody polls":       held(0, 1, syncvar.Shared) | polls,
		"bits without sense": held(0, 1, syncvar.Shared) | 1<<60,
	} {
		if err := s.check(4); err == nil || !strings.Contains(err.Error(), "which no rank of 4 writes") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, s := range []state{0, held(3, 1, syncvar.Exclusive).withLast(4), held(1, 4, syncvar.Shared) | more} {
		if err := s.check(4); err != nil {
			t.Error(err)
		}
	}
}
