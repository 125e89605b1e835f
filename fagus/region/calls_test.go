package region_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// arrays are what a call computes on, one after the other: two resident arrays, a slice of rank 0,
// and a local array of zeros.
type arrays [4][]int64

// at returns an element, counted from the first one of the first array.
func (a *arrays) at(e int) *int64 {
	for i := range a {
		if e < len(a[i]) {
			return &a[i][e]
		}
		e -= len(a[i])
	}
	panic("beyond the last element")
}

// on executes a rank's part of a step.
func (s *step) on(rank int, a *arrays) {
	sum := int64(s.salt)
	for _, e := range s.reads[rank] {
		sum = sum*31 + *a.at(e)
	}
	for _, e := range s.overwrites[rank] {
		*a.at(e) = sum + int64(e)
	}
	for _, e := range s.writes[rank] {
		if sum>>3&1 == 1 {
			*a.at(e) += sum
		}
	}
}

// function is a random function of four arrays.
type function struct {
	program
	name    string
	lengths [4]int
}

// declare adds the items to a plan, and the numbers of their steps to steps.
func (f *function) declare(items []item, p *region.Program, steps *[]int) {
	for k := range items {
		i := &items[k]
		if i.step == nil {
			if i.times < 2 {
				p.Maybe()
			} else {
				p.Repeat()
			}
			f.declare(i.items, p, steps)
			p.End()
			continue
		}
		number := p.Step()
		*steps = append(*steps, number)
		for rank := range f.nodes {
			for _, by := range []struct {
				of       [][]int
				elements func(step, rank, array int) region.Region
			}{{i.reads, p.Reads}, {i.writes, p.Writes}, {i.overwrites, p.Overwrites}} {
				for _, e := range by.of[rank] {
					array := 0
					for e >= f.lengths[array] {
						e -= f.lengths[array]
						array++
					}
					by.elements(number, rank, array).Add(e, e+1)
				}
			}
		}
	}
}

// number gives the items the numbers of their steps.
func number(items []item, steps []int) []int {
	for k := range items {
		if items[k].step != nil {
			items[k].number, steps = steps[0], steps[1:]
		} else {
			steps = number(items[k].items, steps)
		}
	}
	return steps
}

// call executes items, the items of f with other times, on a rank.
func (f *function) call(n *fagus.Node, items []item, u, v, x []int64) error {
	items = copied(items)
	p := region.Open(n, f.name)
	var a arrays
	for i, s := range [][]int64{u, v, x} {
		a[i] = s
		region.In(p, string("uvx"[i]), &a[i])
	}
	a[3] = region.Make[int64](p, "z", f.lengths[3])
	var steps []int
	if !region.Known(p, &steps) {
		p.Begin("u", "v", "x")
		f.declare(f.items, p, &steps)
	}
	number(items, steps)
	if err := p.Share("u", "v", "x"); err != nil {
		return err
	}
	if err := each(items, func(i *item) error {
		if err := p.Enter(i.number); err != nil {
			return err
		}
		i.on(n.Rank(), &a)
		return p.Leave(i.number)
	}); err != nil {
		return err
	}
	return p.Finish()
}

// again returns items with other numbers of repetitions, of which the plan does not depend.
func again(items []item, r *rand.Rand) []item {
	items = copied(items)
	for k := range items {
		if items[k].step == nil {
			if items[k].times < 2 {
				items[k].times = r.IntN(2)
			} else {
				items[k].times = r.IntN(4)
			}
			items[k].items = again(items[k].items, r)
		}
	}
	return items
}

// history is a run of random calls of some functions on resident arrays, and what they compute.
type history struct {
	seed      uint64
	nodes     int
	lengths   [2]int // of the resident arrays
	functions []*function
}

func newHistory(seed uint64) *history {
	r := rand.New(rand.NewPCG(seed, 3))
	h := &history{seed: seed, nodes: 1 + r.IntN(4)}
	for i := range h.lengths {
		h.lengths[i] = 1 + r.IntN(20)
	}
	for i := range 1 + r.IntN(4) {
		f := &function{name: fmt.Sprint("F", i), lengths: [4]int{h.lengths[0], h.lengths[1], r.IntN(12), r.IntN(12)}}
		f.nodes = h.nodes
		depth := 2
		if r.IntN(2) == 0 { // only resident arrays, and nothing is repeated
			f.lengths[2], f.lengths[3], depth = 0, 0, 0
		}
		for _, l := range f.lengths {
			f.length += l
		}
		f.items = f.random(r, depth, 1+r.IntN(4))
		if depth == 0 && r.IntN(2) == 0 {
			f.align(f.items)
		}
		h.functions = append(h.functions, f)
	}
	return h
}

// align lets ranks use only blocks of the elements, so that few data must move.
func (f *function) align(items []item) {
	for _, i := range items {
		for _, by := range [][][]int{i.reads, i.writes, i.overwrites} {
			for rank := range by {
				by[rank] = slices.DeleteFunc(by[rank], func(e int) bool { return e*f.nodes/f.length != rank })
			}
		}
	}
}

// run makes the calls on a rank. It compares the results on rank 0, and on all ranks.
func (h *history) run(n *fagus.Node) error {
	r := rand.New(rand.NewPCG(h.seed, 4))
	var want arrays
	var kept [2]*region.Resident[int64]
	for i := range kept {
		if err := h.start(n, r, i, &want, &kept); err != nil {
			return err
		}
	}
	order := make([]int, 1+r.IntN(4)) // the functions of a round
	for i := range order {
		order[i] = r.IntN(len(h.functions))
	}
	for call := range 4 * len(order) {
		f := h.functions[order[call%len(order)]]
		if r.IntN(8) == 0 {
			f = h.functions[r.IntN(len(h.functions))]
		}
		fetches := rand.New(rand.NewPCG(h.seed, uint64(call%len(order)))) // the same in each round
		items := again(f.items, r)
		x := make([]int64, f.lengths[2])
		for i := range x {
			x[i] = r.Int64N(1000)
		}
		want[2], want[3] = slices.Clone(x), make([]int64, f.lengths[3])
		_ = each(items, func(i *item) error {
			for rank := range h.nodes {
				i.on(rank, &want)
			}
			return nil
		})
		if n.Rank() > 0 {
			clear(x)
		}
		if err := f.call(n, items, kept[0].Slice(), kept[1].Slice(), x); err != nil {
			return fmt.Errorf("call %d: %w", call, err)
		}
		if n.Rank() == 0 && !slices.Equal(x, want[2]) {
			return fmt.Errorf("call %d of %s: x is %v, want %v", call, f.name, x, want[2])
		}
		for i := range kept {
			switch fetches.IntN(20) {
			case 0, 1, 2, 3, 4, 5:
				rank, got := fetches.IntN(h.nodes), make([]int64, h.lengths[i])
				if err := kept[i].Fetch(got, rank); err != nil {
					return err
				}
				if n.Rank() == rank && !slices.Equal(got, want[i]) {
					return fmt.Errorf("after call %d of %s, resident array %d on rank %d is %v, want %v", call, f.name, i, rank, got, want[i])
				}
			case 6:
				if err := kept[i].Free(); err != nil {
					return err
				}
				if err := h.start(n, r, i, &want, &kept); err != nil {
					return err
				}
			}
		}
	}
	var all []int
	for rank := range n.Nodes() {
		all = append(all, rank)
	}
	for i := range kept {
		got := make([]int64, h.lengths[i])
		if err := kept[i].Fetch(got, all...); err != nil {
			return err
		}
		if !slices.Equal(got, want[i]) {
			return fmt.Errorf("at the end, resident array %d on rank %d is %v, want %v", i, n.Rank(), got, want[i])
		}
	}
	return nil
}

// start makes resident array i.
func (h *history) start(n *fagus.Node, r *rand.Rand, i int, want *arrays, kept *[2]*region.Resident[int64]) (err error) {
	want[i] = make([]int64, h.lengths[i])
	how := r.IntN(3)
	for k := range want[i] {
		if how > 0 {
			want[i][k] = r.Int64N(1000)
		}
	}
	switch how {
	case 0:
		kept[i], err = region.New[int64](n, fmt.Sprint(i), h.lengths[i])
	case 1:
		from := make([]int64, h.lengths[i])
		if n.Rank() == 0 {
			from = want[i]
		}
		kept[i], err = region.Place(n, fmt.Sprint(i), from)
	default:
		if kept[i], err = region.New[int64](n, fmt.Sprint(i), h.lengths[i]); err != nil {
			return err
		}
		err = kept[i].Fill(func(first int, part []int64) error {
			copy(part, want[i][first:])
			return nil
		})
	}
	return err
}

// TestCallsAgain: calls that use plans, memory and variables of former calls, and arrays that stay,
// compute the same as a sequential execution.
func TestCallsAgain(t *testing.T) {
	seeds := uint64(longtest.Cases(400, 24))
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		h := newHistory(seed)
		for _, cfg := range []fagus.Config{
			{},
			{Mode: fagus.Threaded},
			{Placement: fagus.PlacePrivate},
			{Placement: fagus.PlaceShared},
			{Placement: fagus.PlacePrivate, Mode: fagus.Threaded},
			{Placement: fagus.PlacePrivate, Mode: fagus.Threaded, Helpers: true},
			{Check: fagus.CheckStrict},
			{Check: fagus.CheckOn, Mode: fagus.Threaded},
		} {
			if cfg.Check != fagus.CheckOff && (seed%4 > 0 || runtime.GOOS != "linux") {
				continue
			}
			cfg.Nodes = h.nodes
			if _, err := fagus.Run(t.Context(), cfg, h.run); err != nil {
				t.Fatalf("seed %d, %d nodes, %v mode, %v, helpers %v, check %v: %v", seed, h.nodes, cfg.Mode, cfg.Placement, cfg.Helpers, cfg.Check, err)
			}
		}
		if seed%10 > 0 {
			continue
		}
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			net, err := sim.New(sim.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: h.nodes, Net: net, Mode: mode}, h.run); err != nil {
				t.Fatalf("seed %d, %d simulated nodes, %v mode: %v", seed, h.nodes, mode, err)
			}
		}
	}
}
