package swarm

import (
	"context"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// Shrink makes a case smaller that fails by a check of some kind, by leaving out what
// is not needed for a failure of the same kind: faults, rounds, nodes, variables,
// tenures, and what these do. It returns the smallest case that it has found in so many
// runs, which is always the same, and its failure. It returns an error if ctx ends.
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
				// A case that nothing can run fails in another way.
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

// clone is a copy that shares nothing.
func (c *Case) clone() Case {
	d := *c
	d.Variables = slices.Clone(c.Variables)
	if c.UDP != nil {
		udp := *c.UDP
		d.UDP = &udp
	}
	d.Faults = slices.Clone(c.Faults)
	for i := range d.Faults {
		f := &d.Faults[i]
		f.A, f.B = slices.Clone(f.A), slices.Clone(f.B)
	}
	d.Rounds = slices.Clone(c.Rounds)
	for i := range d.Rounds {
		round := &d.Rounds[i]
		round.Ranks = slices.Clone(round.Ranks)
		for r := range round.Ranks {
			round.Ranks[r] = slices.Clone(round.Ranks[r])
			for j := range round.Ranks[r] {
				t := &round.Ranks[r][j]
				t.Looks, t.Wants = slices.Clone(t.Looks), slices.Clone(t.Wants)
				for k := range t.Wants {
					t.Wants[k].Writes = slices.Clone(t.Wants[k].Writes)
				}
			}
		}
	}
	return d
}

// reductions leave out the i-th of something, or return false if there is none.
// Large things come first.
func reductions() []func(c *Case, i int) bool {
	return []func(*Case, int) bool{
		func(c *Case, i int) bool { return cut(&c.Faults, i) },
		calm,
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

// cut takes the i-th element away.
func cut[T any](s *[]T, i int) bool {
	if i >= len(*s) {
		return false
	}
	*s = slices.Delete(*s, i, i+1)
	return true
}

// calm leaves out what happens all the time, and what makes memories small.
func calm(c *Case, i int) bool {
	if zero(&c.MaxDelay, &i) || zero(&c.LLCM, &i) || zero(&c.Bulk, &i) {
		return true
	}
	return c.UDP != nil && (zero(&c.UDP.Loss, &i) || zero(&c.UDP.Duplicate, &i) || zero(&c.UDP.Reorder, &i))
}

// zero leaves out *v if it is the i-th thing that is there, else it counts it.
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

// tenures are those of every round and rank.
func (c *Case) tenures() (all []*[]Tenure) {
	for i := range c.Rounds {
		for r := range c.Rounds[i].Ranks {
			all = append(all, &c.Rounds[i].Ranks[r])
		}
	}
	return all
}

// eachTenure calls f for every tenure until it returns true.
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

// simplify leaves out the writes, the looks or the computing of a tenure.
func simplify(c *Case, i int) bool {
	take := func(is bool) bool {
		if is {
			i--
		}
		return is && i < 0
	}
	return c.eachTenure(func(t *Tenure) bool {
		if take(len(t.Looks) > 0) {
			t.Looks = nil
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

// dropNode takes a rank away; those above it move down. There are always two.
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
	return true
}

// dropVariable takes a variable away; those above it move down. There is always one.
func dropVariable(c *Case, v int) bool {
	if len(c.Variables) <= 1 || !cut(&c.Variables, v) {
		return false
	}
	c.eachTenure(func(t *Tenure) bool {
		t.Looks = slices.DeleteFunc(t.Looks, func(x int) bool { return x == v })
		for k, x := range t.Looks {
			if x > v {
				t.Looks[k]--
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
