package region

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// TestKeysOfPlans: calls that differ in anything that a plan depends on have different keys: the
// function, each property of each array, and each value.
func TestKeysOfPlans(t *testing.T) {
	program := func(change func(p *Program)) *Program {
		p := &Program{name: "f"}
		for i := range 3 {
			p.arrays = append(p.arrays, operand{block: &block{number: i + 4}, length: 100 + i, size: 8, same: i})
		}
		change(p)
		return p
	}
	resident := func(number int) func(p *Program) {
		return func(p *Program) { p.arrays[2].stays = &state{number: number} }
	}
	keys := make(map[string]string)
	add := func(what string, p *Program, values ...any) {
		t.Helper()
		key := p.keyOf(values)
		if again := p.keyOf(values); again != key {
			t.Errorf("%s: two keys of one call", what)
		}
		if other, known := keys[key]; known {
			t.Errorf("%s has the key of %s", what, other)
		}
		keys[key] = what
	}
	same := func(*Program) {}
	add("the call", program(same))
	add("another name", program(func(p *Program) { p.name = "g" }))
	add("a longer name", program(func(p *Program) { p.name = "ff" }))
	for i := range 3 {
		add(fmt.Sprint("another length of array ", i), program(func(p *Program) { p.arrays[i].length++ }))
		add(fmt.Sprint("other elements of array ", i), program(func(p *Program) { p.arrays[i].size = 4 }))
		add(fmt.Sprint("another block of array ", i), program(func(p *Program) { p.arrays[i].block = &block{number: 9} }))
	}
	add("an array twice", program(func(p *Program) { p.arrays[2].same = 1 }))
	add("another array twice", program(func(p *Program) { p.arrays[2].same = 0 }))
	add("an array less", program(func(p *Program) { p.arrays = p.arrays[:2] }))
	add("a resident array", program(resident(1)))
	add("a resident array in another state", program(resident(2)))
	for _, v := range []any{0, 1, -1, 1 << 40, 0.0, math.Copysign(0, -1), 1.5, 1.25, 2.0, math.NaN(), math.Inf(1), true, false, "", "a", "b", int32(1), uint8(1), [2]int{1, 2}, [2]int{2, 1}} {
		add(fmt.Sprintf("value %#v of type %T", v, v), program(same), "of one type", fmt.Sprintf("%T", v), v)
	}
	add("values a and bc", program(same), "a", "bc")
	add("values ab and c", program(same), "ab", "c")
	add("values 1 and 2", program(same), 1, 2)
	add("values 2 and 1", program(same), 2, 1)
}

// TestStatesDiffer: states are the same if what is valid where is the same, and how certain it is.
func TestStatesDiffer(t *testing.T) {
	s := &store{states: make(map[string]*state)}
	seen := make(map[*state]string)
	for _, exact := range []bool{true, false} {
		for what, v := range map[string]validity{"everyone": everyone(3, 10), "rank 0": only(0, 3, 10), "rank 2": only(2, 3, 10), "more": everyone(3, 11), "nothing": {}, "far": only(70, 80, 10)} {
			st := s.state(v, exact)
			if s.state(v, exact) != st || st.exact != exact {
				t.Errorf("%s, exact %t: two states, or one of exact %t", what, exact, st.exact)
			}
			if other, known := seen[st]; known {
				t.Errorf("%s, exact %t is the state of %s", what, exact, other)
			}
			seen[st] = fmt.Sprint(what, exact)
		}
	}
	numbers := make(map[int]bool)
	for st := range seen {
		if numbers[st.number] {
			t.Errorf("two states have the number %d", st.number)
		}
		numbers[st.number] = true
	}
	for i := range 2 * mostStates { // however many there are, no number comes again
		st := s.state(only(0, 1, i+20), true)
		if len(s.states) > mostStates || numbers[st.number] {
			t.Fatalf("state %d has the number %d, of %d that are known", i, st.number, len(s.states))
		}
		numbers[st.number] = true
	}
}

// TestPlansForgotten: as many plans as there may be are known; with one more, the one goes that was
// not used for the longest time.
func TestPlansForgotten(t *testing.T) {
	s := &store{plans: make(map[string]*known), names: make(map[string]bool)}
	add := func(i int) {
		k := &known{key: fmt.Sprintf("f%d\x00", i), last: s.tick()}
		s.keep(k)
	}
	for i := range mostPlans {
		add(i)
	}
	if len(s.plans) != mostPlans {
		t.Errorf("%d plans are known, want %d", len(s.plans), mostPlans)
	}
	s.plans["f0\x00"].last = s.tick()
	add(mostPlans)
	if len(s.plans) != mostPlans || s.plans["f0\x00"] == nil || s.plans["f1\x00"] != nil || s.plans[fmt.Sprintf("f%d\x00", mostPlans)] == nil {
		t.Errorf("%d plans are known: want all but f1, which was not used for the longest time", len(s.plans))
	}
	if s.keep(&known{}); len(s.plans) != mostPlans {
		t.Error("a plan without a key is kept")
	}
}

// TestBlocksAreDirty: memory that a call has given back counts as used, so that the next array
// there is set to 0; a resident array keeps its block.
func TestBlocksAreDirty(t *testing.T) {
	s := new(store)
	b, r := &block{used: true}, &block{used: true, stays: new(state)}
	s.give(b)
	s.give(r)
	if b.used || !b.dirty {
		t.Errorf("a block that was given back: used %t, dirty %t", b.used, b.dirty)
	}
	if !r.used || r.dirty {
		t.Errorf("the block of a resident array: used %t, dirty %t", r.used, r.dirty)
	}
}

// TestContains: what is said to be a part of a rectangle has no element outside of it, and of
// rectangles of one stride, of single runs, and of the rectangle itself, all parts are found.
func TestContains(t *testing.T) {
	elements := func(r *rect) map[[2]int]bool {
		all := make(map[[2]int]bool)
		for y := r.y0; y < r.y1; y++ {
			for k := range r.count {
				for x := range r.run {
					all[[2]int{y, r.x + k*r.stride + x}] = true
				}
			}
		}
		return all
	}
	random := rand.New(rand.NewPCG(7, 7))
	inside := 0
	for range 60_000 {
		var two [2]rect
		for i := range two {
			r := &two[i]
			r.y0 = random.IntN(2)
			r.y1, r.x, r.run, r.count = r.y0+1+random.IntN(2), random.IntN(6), 1+random.IntN(4), 1+random.IntN(3)
			r.stride = r.run + random.IntN(4)
		}
		a, b := &two[0], &two[1]
		all, is := elements(a), true
		for e := range elements(b) {
			is = is && all[e]
		}
		says := a.contains(b)
		if says && !is {
			t.Fatalf("%+v is said to be a part of %+v", b, a)
		}
		if says {
			inside++
		}
		if !a.contains(a) {
			t.Fatalf("%+v does not contain itself", a)
		}
	}
	if inside < 100 {
		t.Errorf("only %d parts were found: the test sees nothing", inside)
	}
}

// TestDigestsOfCalls: the digests of the last calls are known, as many as are kept, and of no
// others.
func TestDigestsOfCalls(t *testing.T) {
	c := new(calls)
	digests := []uint64{0}
	for i := range mostCalls + 3 {
		c.add(&Program{name: fmt.Sprint("f", i%5), given: []any{"i", i}})
		digests = append(digests, c.digest)
		first := max(1, c.count-mostCalls+1)
		for _, at := range []int{-1, 0, first - 1, c.count + 1} {
			if d := c.digestAt(at); d != 0 {
				t.Fatalf("after %d calls, call %d has the digest %x", c.count, at, d)
			}
		}
		for _, at := range []int{first, (first + c.count) / 2, c.count} {
			if d := c.digestAt(at); d != digests[at] || d == 0 {
				t.Fatalf("after %d calls, call %d has the digest %x, want %x", c.count, at, d, digests[at])
			}
		}
	}
}

// TestCallsDiffer: calls that differ in anything that ranks must agree on have different digests.
func TestCallsDiffer(t *testing.T) {
	digest := func(change func(p *Program)) uint64 {
		p := &Program{name: "f", given: []any{"n", 1, "x", 2.5}, arrays: []operand{{name: "a", length: 7, block: &block{}}, {name: "b", length: 7, block: &block{}}}}
		change(p)
		c := new(calls)
		c.add(p)
		return c.digest
	}
	seen := make(map[uint64]string)
	for what, change := range map[string]func(p *Program){
		"the call": func(*Program) {}, "name": func(p *Program) { p.name = "g" },
		"int": func(p *Program) { p.given[1] = 2 }, "float": func(p *Program) { p.given[3] = 2.75 }, "values": func(p *Program) { p.given = p.given[:2] },
		"array's name": func(p *Program) { p.arrays[1].name = "c" }, "array's length": func(p *Program) { p.arrays[1].length = 8 },
		"resident": func(p *Program) { p.arrays[1].block = &block{stays: new(state)} }, "first resident": func(p *Program) { p.arrays[0].block = &block{stays: new(state)} },
		"an array less": func(p *Program) { p.arrays = p.arrays[:1] },
	} {
		d := digest(change)
		if other, known := seen[d]; known {
			t.Errorf("another %s: the digest is that of another %s", what, other)
		}
		seen[d] = what
	}
}

// TestRelayBuffers: phases whose data are divided in the same way share a buffer; with another
// division, though of as many bytes, each has one of its own.
func TestRelayBuffers(t *testing.T) {
	const nodes = 4
	_, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Net: inproc.New(inproc.Config{}), Placement: fagus.PlacePrivate}, func(n *fagus.Node) error {
		s := storeOf(n)
		bind := func(sizes ...int) (*relay, error) { // of the data of each group
			r := &relay{of: parts.GroupsOf(nodes), hop: &phase{}}
			for group, bytes := range sizes {
				if first, _ := r.of.Members(group); bytes > 0 {
					r.parts, r.at = append(r.parts, relayed{from: first}), append(r.at, r.bytes)
				}
				r.bytes += bytes
			}
			return r, r.bind(s, &phase{})
		}
		buffers := make(map[*fagus.Array[byte]]string)
		for _, sizes := range [][]int{{10, 10}, {5, 15}, {15, 5}, {20, 0}, {10, 11}} {
			first, err := bind(sizes...)
			if err != nil {
				return err
			}
			again, err := bind(sizes...)
			if err != nil {
				return err
			}
			if again.buffer != first.buffer {
				return fmt.Errorf("groups of %v bytes have two buffers", sizes)
			}
			if other, known := buffers[first.buffer]; known {
				return fmt.Errorf("groups of %v bytes have the buffer of groups of %s", sizes, other)
			}
			buffers[first.buffer] = fmt.Sprint(sizes)
		}
		return n.Barrier()
	})
	if err != nil {
		t.Error(err)
	}
}
