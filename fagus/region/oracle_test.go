package region

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// key names a region of a plan.
type key struct {
	step, rank, array int
	does              touch
}

// model is a plan as sets of single elements. It defines what the planner must find, and takes a
// time of elements times steps times ranks.
type model struct {
	*Plan
	calls map[key][]gridCall
	exact map[key][]bool
	hull  map[key][]bool
}

func (m *model) region(step, rank, array int, does touch, c gridCall) {
	k := key{step, rank, array, does}
	m.calls[k] = append(m.calls[k], c)
	c.to(m.Plan.region(step, rank, array, does))
}

func (m *model) prepare() {
	moved := make(map[key][]gridCall)
	for k, calls := range m.calls {
		k = m.early(k)
		moved[k] = append(moved[k], calls...)
	}
	m.exact, m.hull = make(map[key][]bool), make(map[key][]bool)
	for k, calls := range moved {
		m.exact[k], m.hull[k] = elements(calls, m.arrays[k.array].length)
	}
}

func nonempty(calls []gridCall) bool {
	return slices.ContainsFunc(calls, func(c gridCall) bool { return c.run > 0 && c.count > 0 && c.rows > 0 })
}

// early returns the key with the step in which the rank acquires what it reads by k.
func (m *model) early(k key) key {
	for o, calls := range m.calls {
		if o.array == k.array && o.does.changes() && nonempty(calls) && !m.steps[o.step].home {
			return k
		}
	}
	if m.steps[k.step].home {
		return k
	}
	first := k
	for s := k.step - 1; s >= 0 && m.steps[s].border == m.steps[k.step].border; s-- {
		if m.steps[s].home && (m.calls[key{s, 0, k.array, overwrites}] != nil || m.calls[key{s, 0, k.array, reads}] != nil) {
			break
		}
		if earlier := (key{s, k.rank, k.array, k.does}); nonempty(m.calls[earlier]) {
			first = earlier
		}
	}
	return first
}

// does returns how a rank uses an element in a step: exactly, or by the hulls.
func (m *model) does(of map[key][]bool, step, rank, array, element int) (does touch) {
	for _, t := range []touch{reads, writes, overwrites} {
		if set := of[key{step, rank, array, t}]; set != nil && set[element] {
			does |= t
		}
	}
	return does
}

// users returns the ranks that use an element in steps other than the input and the output.
func (m *model) users(of map[key][]bool, array, element int) (list []int) {
	for rank := range m.nodes {
		for s := range m.steps {
			if !m.steps[s].home && m.does(of, s, rank, array, element) != 0 {
				list = append(list, rank)
				break
			}
		}
	}
	return list
}

// fresh reports whether a rank overwrites an element before any other use.
func (m *model) fresh(rank, array, element int) bool {
	for s := range m.steps {
		if does := m.does(m.hull, s, rank, array, element); does != 0 && !m.steps[s].home {
			return does == overwrites && m.exact[key{s, rank, array, overwrites}][element]
		}
	}
	return false
}

// modelGroup is a group with intervals for each array.
type modelGroup struct {
	intervals [][]Interval // by array
	acquired  []acquisition
}

func groups(p *Plan) (all []*modelGroup, err error) {
	d, err := p.demand()
	if err != nil {
		return nil, err
	}
	for _, g := range d.groups {
		m := &modelGroup{make([][]Interval, len(p.arrays)), g.acquired}
		for _, part := range g.parts {
			m.intervals[part.array] = part.intervals
		}
		all = append(all, m)
	}
	return all, nil
}

// modelClass is a class as the list of its elements.
type modelClass struct {
	array    int
	elements []int
	uses     []use
	shared   bool
}

func (m *model) classes(array int) (list []*modelClass) {
	private := make([][2][]int, m.nodes) // fresh, rest
	shared := make(map[string]*modelClass)
	for e := range m.arrays[array].length {
		users := m.users(m.hull, array, e)
		if len(users) > 1 {
			users = m.users(m.exact, array, e)
		}
		switch {
		case len(users) == 1 && m.fresh(users[0], array, e):
			private[users[0]][0] = append(private[users[0]][0], e)
		case len(users) == 1:
			private[users[0]][1] = append(private[users[0]][1], e)
		case len(users) > 1:
			var uses []use
			for s := range m.steps {
				for rank := range m.nodes {
					if does := m.does(m.exact, s, rank, array, e); does != 0 {
						uses = append(uses, use{s, rank, does})
					}
				}
			}
			c := shared[fmt.Sprint(uses)]
			if c == nil {
				c = &modelClass{array, nil, uses, true}
				shared[fmt.Sprint(uses)], list = c, append(list, c)
			}
			c.elements = append(c.elements, e)
		}
	}
	var first []*modelClass
	for rank := range private {
		for _, own := range private[rank] {
			if len(own) > 0 {
				first = append(first, &modelClass{array, own, m.privateUses(rank, array, own), false})
			}
		}
	}
	return append(first, list...)
}

func (m *model) privateUses(rank, array int, own []int) (uses []use) {
	for s := range m.steps {
		for r := range m.nodes {
			if r != rank && !m.steps[s].home {
				continue
			}
			var any touch
			all := overwrites
			for _, e := range own {
				does := m.does(m.exact, s, r, array, e)
				any |= does
				all &= does
			}
			if any&overwrites != 0 && all == 0 {
				any = any&^overwrites | writes
			}
			if any != 0 {
				uses = append(uses, use{s, r, any})
			}
		}
	}
	return uses
}

// acquisitions solves the equations of Plan.acquisitions rank by rank, with all steps.
func (m *model) acquisitions(all []use) (list []acquisition) {
	f := &flow{nodes: m.nodes}
	for _, u := range all {
		if n := len(f.points); n == 0 || f.points[n-1].step != u.step {
			f.points = append(f.points, point{step: u.step})
		}
		last := &f.points[len(f.points)-1]
		last.uses = append(last.uses, u)
	}
	stale, needed := make([][]bool, len(f.points)), make([][]bool, len(f.points))
	for i := range f.points {
		f.points[i].after = f.next(i, m.spans)
		stale[i], needed[i] = make([]bool, m.nodes), make([]bool, m.nodes)
	}
	does := func(uses []use, what func(use) bool) bool { return slices.ContainsFunc(uses, what) }
	for more := true; more; {
		more = false
		set := func(of []bool, r int, in bool) {
			more = more || in && !of[r]
			of[r] = of[r] || in
		}
		for i, p := range f.points {
			for _, j := range p.after {
				next := f.points[j].uses
				for r := range m.nodes {
					mine := does(p.uses, func(u use) bool { return u.rank == r })
					set(stale[j], r, !mine && (stale[i][r] || does(p.uses, use.changes)))
					another := does(next, func(u use) bool { return u.rank != r && u.needsOld() })
					anew := does(next, func(u use) bool {
						return u.does&overwrites != 0 && !u.needsOld() || u.rank == r && u.changes()
					})
					set(needed[i], r, another || needed[j][r] && !anew)
				}
			}
		}
	}
	for i, p := range f.points {
		for _, u := range p.uses {
			if exclusive := needed[i][u.rank] && u.changes(); exclusive || stale[i][u.rank] {
				list = append(list, acquisition{u.step, u.rank, exclusive})
			}
		}
	}
	return list
}

// variables returns the variables and the first steps of the phases; ok is false if ranks disturb
// each other in a step.
func (m *model) variables() (list []*modelGroup, phases []int, ok bool) {
	m.prepare()
	known := make(map[string]*modelGroup)
	apart := make(map[[2]int]bool) // pairs of steps in which one rank writes what another uses
	for array := range m.arrays {
		for _, c := range m.classes(array) {
			for _, a := range c.uses {
				for _, b := range c.uses {
					if c.shared && a.rank != b.rank && (a.changes() || b.changes()) {
						apart[[2]int{a.step, b.step}] = true
					}
				}
			}
			acquired := m.acquisitions(c.uses)
			if len(acquired) == 0 {
				continue
			}
			g := known[fmt.Sprint(acquired)]
			if g == nil {
				g = &modelGroup{make([][]Interval, len(m.arrays)), acquired}
				known[fmt.Sprint(acquired)], list = g, append(list, g)
			}
			for _, e := range c.elements {
				g.intervals[array] = merged(append(g.intervals[array], Interval{e, e + 1}))
			}
		}
	}
	for s := range m.steps {
		if apart[[2]int{s, s}] {
			return nil, nil, false
		}
		if s == 0 || !m.together(phases[len(phases)-1], s, apart) {
			phases = append(phases, s)
		}
	}
	return list, phases, true
}

func (m *model) together(first, step int, apart map[[2]int]bool) bool {
	for _, s := range m.spans {
		if s.has(first) != s.has(step) || s.first > first && s.first <= step {
			return false
		}
	}
	for s := first; s < step; s++ {
		ready := m.steps[step].output && !m.steps[s].home
		for k := range m.calls {
			written := slices.ContainsFunc([]touch{writes, overwrites}, func(t touch) bool {
				return nonempty(m.calls[key{s, k.rank, k.array, t}])
			})
			ready = ready && (k.rank == 0 || !written || m.calls[key{step, 0, k.array, reads}] == nil)
		}
		if m.steps[s].fenced || m.steps[s].home != m.steps[step].home && !ready || apart[[2]int{s, step}] {
			return false
		}
	}
	return true
}

// randomPlan returns a plan with random regions: each step writes one array by the rows, columns
// or elements that a random distribution gives to the ranks, and reads mostly others.
func randomPlan(r *rand.Rand) *model {
	width := 1 + r.IntN(8)
	lengths := make([]int, 1+r.IntN(3))
	for i := range lengths {
		lengths[i] = width * (1 + r.IntN(8))
	}
	nodes := 1 + r.IntN(4)
	if r.IntN(10) == 0 {
		nodes = 63 + r.IntN(4)
	}
	m := &model{Plan: NewPlan(nodes, lengths...), calls: make(map[key][]gridCall)}
	all := func(array int) gridCall { return gridCall{0, lengths[array], 1, 1, 1, 1} }
	for a := range lengths {
		if r.IntN(2) == 0 {
			m.calls[key{m.Input(a), 0, a, overwrites}] = []gridCall{all(a)}
		}
	}
	m.random(r, 1+r.IntN(12), width, 2)
	for a := range lengths {
		if r.IntN(2) == 0 {
			m.calls[key{m.Output(a), 0, a, reads}] = []gridCall{all(a)}
		}
	}
	return m
}

func (m *model) random(r *rand.Rand, steps, width, depth int) {
	for range steps {
		switch what := r.IntN(12); {
		case what == 0 && depth > 0:
			m.Repeat()
			m.random(r, r.IntN(4), width, depth-1)
			m.End()
		case what == 1 && depth > 0:
			m.Maybe()
			m.random(r, r.IntN(4), width, depth-1)
			m.End()
		case what == 2 && len(m.steps) > 0:
			m.Fence()
		case what == 3:
			a := r.IntN(len(m.arrays))
			m.calls[key{m.Input(a), 0, a, overwrites}] = []gridCall{{0, m.arrays[a].length, 1, 1, 1, 1}}
		default:
			for range 1 + r.IntN(3)*r.IntN(2) { // the same several times
				m.randomStep(rand.New(rand.NewPCG(r.Uint64()%3, uint64(what))), m.Step(), width)
			}
		}
	}
}

func (m *model) randomStep(r *rand.Rand, s, width int) {
	array := r.IntN(len(m.arrays))
	length := m.arrays[array].length
	height := length / width
	first, does := r.IntN(height), []touch{reads, writes, overwrites}[r.IntN(3)]
	for rank := range min(m.nodes, 1+r.IntN(m.nodes)) {
		var own gridCall
		switch r.IntN(4) {
		case 0: // rows in turn, from first
			own = gridCall{(first + rank) * width, width, 1, 1, (height - first - rank + m.nodes - 1) / m.nodes, m.nodes * width}
		case 1: // columns in turn
			own = gridCall{rank, 1, height, width, (width - rank + m.nodes - 1) / m.nodes, m.nodes}
		case 2: // blocks of rows, less their ends
			each := height/m.nodes + 1
			own = gridCall{rank * each * width, max(1, width-1), 1, 1, each, width}
		default:
			own = gridCall{rank, 1, length / m.nodes, m.nodes, 1, 1}
		}
		r = rand.New(rand.NewPCG(uint64(first), uint64(s)))
		m.region(s, rank, array, does, own)
		if r.IntN(2) == 0 {
			m.region(s, rank, array, reads, own)
		}
	}
	for range r.IntN(3) {
		other := r.IntN(len(m.arrays))
		if other != array || r.IntN(8) == 0 {
			m.region(s, r.IntN(m.nodes), other, reads, randomCall(r, m.arrays[other].length, width))
		}
	}
}

// TestPlannerAgainstModel: the variables and phases of random plans are those that the model finds
// element by element.
func TestPlannerAgainstModel(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector finds nothing where one rank runs at a time")
	}
	right, acquired := 0, 0
	for seed := range longtest.Cases[uint64](100000, 2000) {
		m := randomPlan(rand.New(rand.NewPCG(seed, 3)))
		want, wantPhases, ok := m.variables()
		got, err := groups(m.Plan)
		if ok != (err == nil) {
			t.Fatalf("seed %d: error %v, the model says %v", seed, err, ok)
		}
		if !ok {
			continue
		}
		var phases []int
		for s := range m.steps {
			if s == 0 || !m.Plan.together(phases[len(phases)-1], s) {
				phases = append(phases, s)
			}
		}
		if !reflect.DeepEqual(got, want) || !slices.Equal(phases, wantPhases) {
			t.Errorf("seed %d, %d nodes, %d steps, spans %v: phases %v, want %v", seed, m.nodes, len(m.steps), m.spans, phases, wantPhases)
			for i := range min(len(got), len(want)) {
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Fatalf("variable %d of %d: %v, want %v", i, len(want), *got[i], *want[i])
				}
			}
			t.Fatalf("%d variables, want %d", len(got), len(want))
		}
		right, acquired = right+1, acquired+len(want)
	}
	t.Logf("%d plans without conflicts, %d variables", right, acquired)
	if right < 500 || acquired < 1000 {
		t.Errorf("%d plans without conflicts with %d variables: too few for a test", right, acquired)
	}
}
