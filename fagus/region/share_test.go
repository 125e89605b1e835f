package region_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// item is a step, or a sequence of items that is executed several times.
type item struct {
	*step
	items  []item
	times  int // number of executions of items
	number int // number of the step in the plan
}

// step states what each rank does to an array: it writes a hash of the elements that it
// reads.
type step struct {
	salt                      int
	reads, writes, overwrites [][]int // by rank
}

// program is a program of random steps.
type program struct {
	nodes, length int
	items         []item
}

// random returns a program with legal steps: ranks write different elements, and do not read
// what others write in the same step.
func random(r *rand.Rand) program {
	p := program{nodes: 1 + r.IntN(4), length: 1 + r.IntN(30)}
	p.items = p.random(r, 2, 1+r.IntN(5))
	return p
}

func (p *program) random(r *rand.Rand, depth, count int) (items []item) {
	for range count {
		if depth > 0 && r.IntN(3) == 0 {
			items = append(items, item{items: p.random(r, depth-1, 1+r.IntN(3)), times: r.IntN(4)})
			continue
		}
		s := &step{r.IntN(1000), make([][]int, p.nodes), make([][]int, p.nodes), make([][]int, p.nodes)}
		busy := r.IntN(4) // the larger, the fewer reads and writes
		for i := range p.length {
			writer := r.IntN(p.nodes + 3*busy)
			if writer < p.nodes && r.IntN(2) == 0 {
				s.writes[writer] = append(s.writes[writer], i)
			} else if writer < p.nodes {
				s.overwrites[writer] = append(s.overwrites[writer], i)
			}
			for rank := range p.nodes {
				if (writer >= p.nodes || writer == rank) && r.IntN(2+2*busy) == 0 {
					s.reads[rank] = append(s.reads[rank], i)
				}
			}
		}
		items = append(items, item{step: s})
	}
	return items
}

// compute executes a rank's part of the step.
func (s *step) compute(rank int, data []int64) {
	sum := int64(s.salt)
	for _, i := range s.reads[rank] {
		sum = sum*31 + data[i]
	}
	for _, i := range s.overwrites[rank] {
		data[i] = sum + int64(i)
	}
	for _, i := range s.writes[rank] {
		if sum>>3&1 == 1 {
			data[i] += sum
		}
	}
}

// each calls f with the steps in the order in which they are executed.
func each(items []item, f func(i *item) error) error {
	for k := range items {
		i := &items[k]
		if i.step != nil {
			if err := f(i); err != nil {
				return err
			}
		}
		for range i.times {
			if err := each(i.items, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// plan adds the items to a plan.
func (p *program) plan(items []item, plan *region.Plan) {
	for k := range items {
		i := &items[k]
		if i.step == nil {
			if i.times < 2 {
				plan.Maybe()
			} else {
				plan.Repeat()
			}
			p.plan(i.items, plan)
			plan.End()
			continue
		}
		i.number = plan.Step()
		for rank := range p.nodes {
			for _, e := range i.reads[rank] {
				plan.Reads(i.number, rank, 0).Add(e, e+1)
			}
			for _, e := range i.writes[rank] {
				plan.Writes(i.number, rank, 0).Add(e, e+1)
			}
			for _, e := range i.overwrites[rank] {
				plan.Overwrites(i.number, rank, 0).Add(e, e+1)
			}
		}
	}
}

// copied returns a deep copy of items, in which a rank can set the numbers.
func copied(items []item) []item {
	items = slices.Clone(items)
	for k := range items {
		items[k].items = copied(items[k].items)
	}
	return items
}

func (p program) run(n *fagus.Node, data []int64) error {
	p.items = copied(p.items)
	prog := region.NewProgram(n)
	region.In(prog, "data", &data)
	prog.Begin("data")
	p.plan(p.items, prog.Plan)
	if err := prog.Share("data"); err != nil {
		return err
	}
	if err := each(p.items, func(i *item) error {
		if err := prog.Enter(i.number); err != nil {
			return err
		}
		i.compute(n.Rank(), data)
		return prog.Leave(i.number)
	}); err != nil {
		return err
	}
	return prog.Finish()
}

// TestRandomPrograms: ranks that share arrays by a plan compute the same as a sequential
// execution, in both modes and placements.
func TestRandomPrograms(t *testing.T) {
	seeds := uint64(400)
	if testing.Short() {
		seeds = 25
	}
	for seed := range seeds {
		p := random(rand.New(rand.NewPCG(seed, 2)))
		input := make([]int64, p.length)
		for i := range input {
			input[i] = int64(i*i) + 7
		}
		want := slices.Clone(input)
		_ = each(p.items, func(i *item) error {
			for rank := range p.nodes {
				i.compute(rank, want)
			}
			return nil
		})
		for _, cfg := range []fagus.Config{
			{},
			{Placement: fagus.PlacePrivate},
			{Placement: fagus.PlaceShared},
			{Placement: fagus.PlacePrivate, Mode: fagus.Threaded},
		} {
			cfg.Nodes = p.nodes
			var got []int64
			if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
				data := make([]int64, p.length)
				if n.Rank() == 0 {
					copy(data, input)
					got = data
				}
				return p.run(n, data)
			}); err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d, %d nodes, %v mode, placement %v: error %v\ngot  %v\nwant %v", seed, p.nodes, cfg.Mode, cfg.Placement, err, got, want)
			}
		}
	}
}

// TestShare: Share returns an error if the arrays do not fit the plan, or overlap.
func TestShare(t *testing.T) {
	for _, placement := range []fagus.Placement{fagus.PlaceAuto, fagus.PlacePrivate} {
		if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1, Placement: placement}, func(n *fagus.Node) error {
			a, err := fagus.NewArray[int64](n, "a", 10)
			if err != nil {
				return err
			}
			twice := make([]int64, 10)
			for what, try := range map[string]func() error{
				"too few arrays": func() error { _, err := region.NewPlan(1, 10).Share(n); return err },
				"another length": func() error { _, err := region.NewPlan(1, 11).Share(n, a); return err },
				"another node count": func() error {
					_, err := region.NewPlan(2, 10).Share(n, a)
					return err
				},
				"one array by two names": func() error {
					p := region.NewProgram(n)
					x, y := twice[:6], twice[5:]
					region.In(p, "x", &x)
					region.In(p, "y", &y)
					p.Begin("x", "y")
					return p.Share()
				},
				"the same array by two names, one written": func() error {
					p := region.NewProgram(n)
					one, two := twice, twice
					region.In(p, "x", &one)
					region.In(p, "y", &two)
					p.Begin("x", "y")
					p.Writes(p.Step(), 0, 1).Add(3, 4)
					return p.Share("y")
				},
				"a resident array after Free": func() error {
					if placement == fagus.PlaceAuto {
						return errors.New("ranks that compute in place do not find out")
					}
					r, err := region.New[int64](n, "r", 10)
					if err != nil {
						t.Fatal(err)
					}
					if err := r.Free(); err != nil {
						t.Fatal(err)
					}
					if r.Free() == nil || r.Fetch(twice) == nil {
						t.Error("Free and Fetch after Free return no error")
					}
					p := region.NewProgram(n)
					x := r.Slice()
					region.In(p, "x", &x)
					p.Begin("x")
					return p.Share()
				},
				"a part of a resident array": func() error {
					r, err := region.New[int64](n, "r", 10)
					if err != nil {
						t.Fatal(err)
					}
					p := region.NewProgram(n)
					x := r.Slice()[1:]
					region.In(p, "x", &x)
					p.Begin("x")
					return p.Share()
				},
			} {
				if try() == nil {
					t.Errorf("%s, %v: Share returns no error, want one", what, placement)
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}

// Two ranks compute squares, a block of iterations each.
func Example() {
	squares := func(n *fagus.Node, x []int) error {
		p := region.NewProgram(n)
		region.In(p, "x", &x)
		p.Begin()
		s := p.Step()
		p.Block(s, 0, len(x), 1, 0, len(x))
		for rank := range p.Nodes() {
			part := p.Iterations(s, rank)
			p.Overwrites(s, rank, 0).Strided(part.First, 1, part.Count(), part.By)
		}
		if err := p.Share("x"); err != nil {
			return err
		}
		if err := p.Enter(s); err != nil {
			return err
		}
		for part, i := p.Mine(s), p.Mine(s).First; i < part.End; i += part.By {
			x[i] = i * i
		}
		if err := p.Leave(s); err != nil {
			return err
		}
		return p.Finish()
	}
	result := make([]int, 6)
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		x := result
		if n.Rank() > 0 {
			x = make([]int, len(result))
		}
		return squares(n, x)
	})
	fmt.Println(result, err)
	// Output: [0 1 4 9 16 25] <nil>
}
