package region

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/fagus"
)

// Where all ranks are goroutines of one process (fagus.Node.Common), they compute in place: on the
// slices of rank 0, and on one copy of every other array. Nothing is bound, acquired or copied, and
// a Barrier after every step takes the place of all that. A plan then only divides steps among the
// ranks.

// common is what ranks that compute in place share.
type common struct {
	mu   sync.Mutex
	made map[int]*made // by number
	// given has the last two meetings: rank 0 may begin a call while others still read the meeting
	// before, but not one further. Calls on one rank have no meeting.
	given [2]given
	// taken are the numbers of iterations that ranks have taken in the last two dynamic steps.
	taken [2]atomic.Int64
}

// given is what the ranks tell each other about a call.
type given struct {
	digests []uint64 // of the calls up to this one, by rank
	outer   []any    // rank 0's slices, by array
	same    []int    // likewise: the first array in the same memory
}

// made is an array that the ranks have asked for.
type made struct {
	memory any // a slice
	name   string
	asked  int // number of ranks
}

// commonKey is the key of the ranks' common.
type commonKey struct{}

func commonOf(n *fagus.Node) *common {
	c, _ := n.Common(commonKey{}, func() any {
		digests := func() []uint64 { return make([]uint64, n.Nodes()) }
		return &common{made: make(map[int]*made), given: [2]given{{digests: digests()}, {digests: digests()}}}
	}).(*common)
	return c
}

// one returns the next array that all ranks have in common, of zeros.
func one[T any](s *store, name string, length int) ([]T, error) {
	c := s.common
	s.asked++
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.made[s.asked]
	if m == nil {
		m = &made{memory: make([]T, length), name: name}
		c.made[s.asked] = m
	}
	if m.asked++; m.asked == s.node.Nodes() {
		delete(c.made, s.asked)
	}
	memory, same := m.memory.([]T)
	if !same || len(memory) != length || m.name != name {
		return nil, fmt.Errorf("region: array %s of %d elements of type %v on rank %d is array %s of %d elements of type %v on another rank: all ranks must make the same calls, with equal arguments and lengths",
			name, length, reflect.TypeFor[T](), s.node.Rank(), m.name, reflect.ValueOf(m.memory).Len(), reflect.TypeOf(m.memory).Elem())
	}
	return memory, nil
}

// takeOver prepares that *outer becomes the *outer of rank 0.
func takeOver[S any](o *operand, outer *S) {
	o.outer, o.use = *outer, func(first any) (ok bool) {
		*outer, ok = first.(S)
		return ok
	}
}

// meet gives all ranks the slices of rank 0, if they compute in place. Ranks that make different
// calls get an error.
func (p *Program) meet() error {
	c := p.store.common
	if c == nil || p.met || p.err != nil {
		return p.err
	}
	p.met = true
	p.store.calls.add(p)
	p.store.meetings++
	g := &c.given[p.store.meetings%2]
	g.digests[p.node.Rank()] = p.store.calls.digest
	if p.node.Rank() == 0 {
		g.outer, g.same = nil, nil
		for _, a := range p.arrays {
			g.outer, g.same = append(g.outer, a.outer), append(g.same, a.same)
		}
	}
	if err := p.node.Barrier(); err != nil {
		return err
	}
	if slices.ContainsFunc(g.digests, func(d uint64) bool { return d != g.digests[0] }) {
		return p.store.End()
	}
	for i := range p.arrays {
		a := &p.arrays[i]
		a.same = g.same[i]
		p.twice = p.twice || a.same != i
		if a.use != nil && !a.use(g.outer[i]) {
			return fmt.Errorf("region: array %s is a %T on rank 0, and has another type on rank %d", a.name, g.outer[i], p.node.Rank())
		}
	}
	return nil
}

// begin begins a dynamic step. All ranks have left the last one, so its number is free for the next
// one.
func (c *common) begin(s *store) {
	if s.dynamic++; s.node.Rank() == 0 {
		c.taken[(s.dynamic+1)%2].Store(0)
	}
}

// next takes iterations of the dynamic step, fewer each time: ranks end at nearly the same time.
func (c *common) next(s *store, all Iterations) Iterations {
	for {
		done := c.taken[s.dynamic%2].Load()
		rest := int64(all.Count()) - done
		if rest <= 0 {
			return Iterations{0, 0, 1}
		}
		n := max(1, rest/int64(2*s.node.Nodes()))
		if c.taken[s.dynamic%2].CompareAndSwap(done, done+n) {
			first := all.First + int(done)*all.By
			return Iterations{first, min(all.End, first+int(n)*all.By), all.By}
		}
	}
}

// Compare makes ranks that compute in place compare what they declare, as other ranks always do:
// Share returns an error if a rank writes elements that another rank uses in the same step. It is
// for steps whose iterations may depend on each other, and is called after Begin.
func (p *Program) Compare() { p.Plan.compares = true }

// sharePlace is share for ranks that compute in place.
func (p *Program) sharePlace() error {
	if p.known == nil {
		if err := p.apart(p.begun); err != nil {
			return err
		}
		if p.Plan.compares {
			if _, err := p.demand(); err != nil {
				return err
			}
		}
		p.known = &known{key: p.key, plan: p.Plan}
		if p.steps != nil {
			p.known.steps = p.steps()
		}
		clear(p.Plan.arrays) // not needed any more
		p.store.keep(p.known)
		p.planned()
	}
	p.known.last = p.store.tick()
	return nil
}
