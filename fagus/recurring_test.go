package fagus_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/internal/guard"
)

// cycle is the steps of a random program that repeats them, the same on all ranks.
type cycle struct {
	steps [][]want // by step and variable
	meets []int    // by step: the call behind it, as a number of rankProgram.meet
}

// want says who wants a variable in a step: one rank exclusively, or some ranks for reading.
type want struct {
	exclusive bool
	ranks     []bool
}

// newCycle returns random steps in which no two ranks are in each other's way.
func newCycle(random *rand.Rand, vars [][]interval, nodes int) (c cycle) {
	for range 1 + random.IntN(5) {
		c.meets = append(c.meets, random.IntN(8))
	}
	c.wants(random, vars, nodes)
	return c
}

// wants sets what the ranks want in the steps.
func (c *cycle) wants(random *rand.Rand, vars [][]interval, nodes int) {
	c.steps = nil
	for range c.meets {
		step := make([]want, len(vars))
		for v := range step {
			step[v].ranks = make([]bool, nodes)
			switch {
			case len(vars[v]) == 0 || random.IntN(4) == 0:
			case random.IntN(2) == 0:
				step[v].exclusive = true
				step[v].ranks[random.IntN(nodes)] = true
			default:
				for r := range nodes {
					step[v].ranks[r] = random.IntN(3) == 0
				}
			}
		}
		c.steps = append(c.steps, step)
	}
}

// recurring returns a program that repeats the steps of a cycle. It leaves out some writes, so that
// ranks report variables as unchanged, and now and then one rank does something else.
func (o *oracle) recurring(seed uint64, rounds int) func(*fagus.Node) error {
	return func(n *fagus.Node) error {
		p := &rankProgram{oracle: o, n: n, random: rand.New(rand.NewPCG(seed, 1+uint64(n.Rank())))}
		if err := p.declare(); err != nil {
			return err
		}
		common := rand.New(rand.NewPCG(seed, 2000)) // the same on all ranks
		c := newCycle(common, p.vars, n.Nodes())
		for round := range rounds {
			if round == rounds/2 { // other steps, with the same calls between them
				c.wants(common, p.vars, n.Nodes())
			}
			deviates, at := common.IntN(n.Nodes()), -1
			if common.IntN(10) == 0 {
				at = common.IntN(len(c.steps))
			}
			for i := range c.steps {
				var err error
				if i == at && deviates == n.Rank() {
					err = p.tenure()
				} else {
					err = p.step(c.steps[i], common.IntN(50) == 0)
				}
				if err == nil {
					err = p.meet(c.meets[i])
				}
				if err != nil {
					return err
				}
			}
		}
		return p.update()
	}
}

// step is a tenure of a cycle. If idle is set, it writes nothing.
func (p *rankProgram) step(wants []want, idle bool) error {
	held, declared := make([]fagus.Access, len(wants)), make([][]interval, len(wants))
	for v, w := range wants {
		switch {
		case !w.ranks[p.n.Rank()]:
		case w.exclusive:
			held[v] = fagus.Exclusive
			if declared[v] = p.vars[v][:1]; idle {
				declared[v] = []interval{}
			}
		default:
			held[v] = fagus.Shared
		}
	}
	return p.hold(held, declared)
}

// meet makes one of the calls in which all ranks meet, or none.
func (p *rankProgram) meet(call int) error {
	switch call {
	case 0:
		return p.update()
	case 1:
		return p.n.Barrier()
	case 2:
		return p.reduce()
	case 3:
		return p.n.Fence()
	}
	return nil
}

// TestRecurringPrograms: programs that repeat steps, and deviate now and then, see what the oracle
// says. Most of their phases repeat one of before.
func TestRecurringPrograms(t *testing.T) {
	longtest.Third(t)
	var phases, repeated uint64
	for seed := range cases(40, 3) {
		o := newOracle(seed)
		cfg := fagus.Config{Nodes: 16 + int(seed%6), Net: bulkNet(smallLLCM, 40_000, 4000)}
		switch seed % 3 {
		case 0:
			cfg.History = history.New()
		case 1:
			if guard.Supported() == nil {
				cfg.Check, o.lawful = fagus.CheckOn, true
			}
		}
		report, err := runFor(t, cfg, o.recurring(seed, 60))
		if err != nil {
			t.Fatalf("seed %d, %d nodes: %v", seed, cfg.Nodes, err)
		}
		if cfg.History != nil {
			if v := cfg.History.Check(); v != nil {
				t.Errorf("seed %d: %v", seed, v)
			}
		}
		phases, repeated = phases+report.Ranks[0].Phases, repeated+report.Ranks[0].Repeated
		t.Logf("seed %d: %d phases, %d repeated", seed, report.Ranks[0].Phases, report.Ranks[0].Repeated)
	}
	if repeated < phases/3 {
		t.Errorf("%d of %d phases were repeated, want a third", repeated, phases)
	}
}

// TestRepeatedPhasesMoveLittle: in phases that repeat, as much moves as in others: what is new.
func TestRepeatedPhasesMoveLittle(t *testing.T) {
	const nodes, parts, size = 16, 40, 1000
	report := succeed(t, fagus.Config{Nodes: nodes, Net: bulkNet(smallLLCM, 1<<20, 1<<20)}, func(n *fagus.Node) error {
		a, v, err := guarded[byte](n, parts*size)
		if err != nil {
			return err
		}
		for i := range parts {
			if n.Rank() == 0 {
				part := a.Range(i*size, (i+1)*size)
				err = n.Set(v.Write().Writing(part)).Do(func() { a.Slice()[i*size] = byte(i + 1) })
			} else {
				err = n.Set().Do(func() {})
			}
			if err == nil && n.Rank() != 1 {
				err = n.Set().Do(func() {})
			} else if err == nil {
				err = n.During(n.Set(v.Read()), func() error {
					if got := a.Slice()[i*size]; got != byte(i+1) {
						return fmt.Errorf("part %d: %d, want %d", i, got, i+1)
					}
					return nil
				})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if r := report.Ranks[0]; r.Repeated < parts || r.Messages().Bytes > 3*parts*size {
		t.Errorf("%d phases repeated, rank 0 sent %d bytes: want at least %d phases and %d to %d bytes", r.Repeated, r.Messages().Bytes, parts, parts*size, 3*parts*size)
	}
}

// TestRecurringPartialPhases: where the words for messages do not suffice, a step takes several
// phases. These do not repeat, and all data arrive.
func TestRecurringPartialPhases(t *testing.T) {
	const nodes, steps = 40, 12
	report := succeed(t, fagus.Config{Nodes: nodes, Net: bulkNet(smallLLCM, 1<<20, 1<<20)}, func(n *fagus.Node) error {
		words, guards, err := counters(n, nodes)
		if err != nil {
			return err
		}
		var all []fagus.Request
		for _, v := range guards {
			all = append(all, v.Read())
		}
		own, every := n.Set(guards[n.Rank()].Write()), n.Set(all...)
		for i := range steps {
			if err := own.Do(func() { words.Slice()[n.Rank()]++ }); err != nil {
				return err
			}
			err := n.During(every, func() error {
				for r, got := range words.Slice() {
					if int(got) != i+1 {
						return fmt.Errorf("step %d: rank %d has %d", i, r, got)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if r := report.Ranks[0]; r.Phases < 3*steps {
		t.Errorf("%d phases in %d steps: no step took several phases", r.Phases, steps)
	}
}
