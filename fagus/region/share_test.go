package region_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// step is what ranks do to an array: element i of what rank r writes becomes a sum of what it reads.
type step struct{ reads, writes []region.Region } // by rank

// program is one of random steps.
type program struct {
	nodes, length int
	steps         []step
}

// random is a program whose steps are legal: ranks write different elements, and read those that nobody else writes.
func random(r *rand.Rand) program {
	p := program{nodes: 1 + r.IntN(4), length: 1 + r.IntN(60)}
	for range 1 + r.IntN(6) {
		s := step{make([]region.Region, p.nodes), make([]region.Region, p.nodes)}
		for i := range p.length {
			writer := r.IntN(p.nodes + 3) // or nobody
			if writer < p.nodes {
				s.writes[writer].Add(i, i+1)
			}
			for rank := range p.nodes {
				if (writer >= p.nodes || writer == rank) && r.IntN(2) == 0 {
					s.reads[rank].Add(i, i+1)
				}
			}
		}
		p.steps = append(p.steps, s)
	}
	return p
}

// compute is what a rank does in a step.
func (s *step) compute(rank, number int, data []int64) {
	sum := int64(number)
	for _, i := range s.reads[rank].Intervals() {
		for _, x := range data[i.Lo:i.Hi] {
			sum = sum*31 + x
		}
	}
	for _, i := range s.writes[rank].Intervals() {
		for j := i.Lo; j < i.Hi; j++ {
			data[j] = sum + int64(j)
		}
	}
}

// sequential is what comes out if ranks take turns.
func (p *program) sequential(rounds int) []int64 {
	data := make([]int64, p.length)
	for round := range rounds {
		for number := range p.steps {
			for rank := range p.nodes {
				p.steps[number].compute(rank, round+number, data)
			}
		}
	}
	return data
}

func (p *program) run(n *fagus.Node, rounds int, want []int64) error {
	a, err := fagus.NewArray[int64](n, "a", p.length)
	if err != nil {
		return err
	}
	plan := region.NewPlan(p.nodes, p.length)
	for _, s := range p.steps {
		number := plan.Step()
		for rank := range p.nodes {
			*plan.Reads(number, rank, 0), *plan.Writes(number, rank, 0) = s.reads[rank], s.writes[rank]
		}
	}
	last := plan.Step() // all read all
	for rank := range p.nodes {
		plan.Reads(last, rank, 0).Add(0, p.length)
	}
	shared, err := plan.Share(n, a)
	if err != nil {
		return err
	}
	for round := range rounds {
		for number := range p.steps {
			if err := shared.Enter(number); err != nil {
				return err
			}
			p.steps[number].compute(n.Rank(), round+number, a.Slice())
			if err := shared.Leave(number); err != nil {
				return err
			}
		}
	}
	if err := shared.Enter(last); err != nil {
		return err
	}
	for i, x := range a.Slice() {
		if x != want[i] {
			return fmt.Errorf("rank %d: element %d is %d, want %d", n.Rank(), i, x, want[i])
		}
	}
	return shared.Leave(last)
}

// TestRandomPrograms: ranks that share what a plan says compute what a single one does, in both modes, with copies of their own.
func TestRandomPrograms(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 40
	}
	for seed := range seeds {
		p := random(rand.New(rand.NewPCG(seed, 2)))
		rounds := 1 + int(seed%3)
		want := p.sequential(rounds)
		for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
			cfg := fagus.Config{Nodes: p.nodes, Mode: mode, Placement: fagus.PlacePrivate}
			if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error { return p.run(n, rounds, want) }); err != nil {
				t.Errorf("seed %d, %d nodes, %v mode: %v", seed, p.nodes, mode, err)
			}
		}
	}
}

// TestShare: what does not fit the plan is told.
func TestShare(t *testing.T) {
	if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[int64](n, "a", 10)
		if err != nil {
			return err
		}
		outside := region.NewPlan(1, 10)
		outside.Reads(outside.Step(), 0, 0).Add(5, 11)
		for what, try := range map[string]func() (*region.Shared, error){
			"too few arrays":     func() (*region.Shared, error) { return region.NewPlan(1, 10).Share(n) },
			"another length":     func() (*region.Shared, error) { return region.NewPlan(1, 11).Share(n, a) },
			"another node count": func() (*region.Shared, error) { return region.NewPlan(2, 10).Share(n, a) },
			"what is outside":    func() (*region.Shared, error) { return outside.Share(n, a) },
		} {
			if _, err := try(); err == nil {
				t.Errorf("%s: no error", what)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
