package swarm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// Shrink reduces a failing case by removing faults, rounds, nodes, variables, tenures, and parts
// of tenures, as long as the case still fails with the same kind of failure. It returns the
// smallest case found in at most runs runs, and its failure. The result is deterministic.
// Shrink returns an error if ctx ends.
func (c Case) Shrink(ctx context.Context, f *Failure, runs int) (Case, *Failure, error) {
	return shrink(ctx, c, f, runs, func(c *Case) (Outcome, error) { return c.Run(ctx) })
}

func shrink(ctx context.Context, c Case, f *Failure, runs int, run func(*Case) (Outcome, error)) (Case, *Failure, error) {
	for smaller := true; smaller; {
		smaller = false
		for _, leaveOut := range reductions() {
			for i := 0; runs > 0; {
				less := c.clone()
				if !leaveOut(&less, i) {
					break
				}
				runs--
				o, err := run(&less)
				if err != nil && ctx.Err() != nil {
					return c, f, err
				}
				// A case that cannot be run does not count as failing.
				if err == nil && o.Failure != nil && o.Failure.Kind == f.Kind {
					c, f, smaller = less, o.Failure, true
				} else {
					i++
				}
			}
		}
	}
	return c, f, nil
}

// clone returns a copy that shares no memory with c.
func (c *Case) clone() (d Case) {
	text, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		panic(fmt.Sprintf("swarm: a case is plain data, but: %v", err))
	}
	return d
}

// reductions returns functions that remove the i-th part of a kind, if any; largest parts first.
func reductions() []func(c *Case, i int) bool {
	return []func(*Case, int) bool{
		func(c *Case, i int) bool { return cut(&c.Faults, i) },
		calm,
		func(c *Case, i int) bool { return cut(&c.Deviations, i) },
		endEarlier,
		func(c *Case, i int) bool { return cut(&c.Rounds, i) },
		dropNode,
		dropVariable,
		func(c *Case, i int) bool {
			for _, ts := range c.tenures() {
				if i < len(*ts) {
					return cut(ts, i)
				}
				i -= len(*ts)
			}
			return false
		},
		func(c *Case, i int) bool {
			return c.eachTenure(func(t *Tenure) bool {
				if i < len(t.Wants) {
					return cut(&t.Wants, i)
				}
				i -= len(t.Wants)
				return false
			})
		},
		simplify,
		func(c *Case, i int) bool {
			for r := range c.Rounds {
				if c.Rounds[r].End == Nothing {
					continue
				}
				if i--; i < 0 {
					c.Rounds[r].End = Nothing
					return true
				}
			}
			return false
		},
	}
}

func cut[T any](s *[]T, i int) bool {
	if i >= len(*s) {
		return false
	}
	*s = slices.Delete(*s, i, i+1)
	return true
}

// endEarlier halves the number of steps of a case with cycles, or reduces it by one.
func endEarlier(c *Case, i int) bool {
	if c.Steps <= 1 || i > 1 {
		return false
	}
	c.Steps = []int{c.Steps / 2, c.Steps - 1}[i]
	return true
}

// calm removes the i-th permanent disturbance or memory limit.
func calm(c *Case, i int) bool {
	if zero(&c.MaxDelay, &i) || zero(&c.LLCM, &i) || zero(&c.Bulk, &i) {
		return true
	}
	return c.UDP != nil && (zero(&c.UDP.Loss, &i) || zero(&c.UDP.Duplicate, &i) || zero(&c.UDP.Reorder, &i))
}

// zero helps to clear the i-th of several values. For a nonzero *v it decrements *i. If *i becomes
// negative, it sets *v to zero and returns true.
func zero[T comparable](v *T, i *int) bool {
	var none T
	if *v == none {
		return false
	}
	if *i--; *i >= 0 {
		return false
	}
	*v = none
	return true
}

func (c *Case) tenures() (all []*[]Tenure) {
	for i := range c.Rounds {
		for r := range c.Rounds[i].Ranks {
			all = append(all, &c.Rounds[i].Ranks[r])
		}
	}
	for i := range c.Deviations {
		all = append(all, &c.Deviations[i].Tenures)
	}
	return all
}

func (c *Case) eachTenure(f func(*Tenure) bool) bool {
	for _, ts := range c.tenures() {
		for j := range *ts {
			if f(&(*ts)[j]) {
				return true
			}
		}
	}
	return false
}

// simplify removes the i-th of the looks, computations, writes and declarations of all tenures.
func simplify(c *Case, i int) bool {
	take := func(is bool) bool {
		if is {
			i--
		}
		return is && i < 0
	}
	return c.eachTenure(func(t *Tenure) bool {
		if take(len(t.Look) > 0) {
			t.Look = nil
			return true
		}
		if take(t.Compute > 0) {
			t.Compute = 0
			return true
		}
		for k := range t.Wants {
			w := &t.Wants[k]
			for x := range w.Writes {
				if take(true) {
					return cut(&w.Writes, x)
				}
			}
			if take(w.Declared) {
				w.Declared = false
				return true
			}
		}
		return false
	})
}

// dropNode removes a rank and renumbers those above it. Two ranks always remain.
func dropNode(c *Case, i int) bool {
	if i >= c.Nodes || c.Nodes <= 2 {
		return false
	}
	gone := dimmnet.Rank(i)
	c.Nodes--
	for r := range c.Rounds {
		cut(&c.Rounds[r].Ranks, i)
	}
	down := func(r dimmnet.Rank) dimmnet.Rank {
		if r > gone {
			r--
		}
		return r
	}
	side := func(ranks []dimmnet.Rank) (rest []dimmnet.Rank) {
		for _, r := range ranks {
			if r != gone {
				rest = append(rest, down(r))
			}
		}
		return rest
	}
	var left []sim.Fault
	for _, f := range c.Faults {
		f.A, f.B = side(f.A), side(f.B)
		switch f.Kind {
		case sim.Partition:
			if len(f.A) == 0 || len(f.B) == 0 {
				continue
			}
		case sim.Pause, sim.Crash:
			if f.Rank == gone {
				continue
			}
			f.Rank = down(f.Rank)
		}
		left = append(left, f)
	}
	c.Faults = left
	c.Deviations = slices.DeleteFunc(c.Deviations, func(d Deviation) bool { return d.Rank == gone })
	for i := range c.Deviations {
		c.Deviations[i].Rank = down(c.Deviations[i].Rank)
	}
	return true
}

// dropVariable removes a variable and renumbers those above it. One variable always remains.
func dropVariable(c *Case, v int) bool {
	if len(c.Variables) <= 1 || !cut(&c.Variables, v) {
		return false
	}
	c.eachTenure(func(t *Tenure) bool {
		t.Look = slices.DeleteFunc(t.Look, func(x int) bool { return x == v })
		for k, x := range t.Look {
			if x > v {
				t.Look[k]--
			}
		}
		t.Wants = slices.DeleteFunc(t.Wants, func(w Want) bool { return w.Variable == v })
		for k := range t.Wants {
			if t.Wants[k].Variable > v {
				t.Wants[k].Variable--
			}
		}
		return false
	})
	return true
}
