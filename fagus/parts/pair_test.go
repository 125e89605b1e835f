package parts_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// TestPairKeepsTwoStates: a state is computed from the two before it, and Next holds the older
// one. Without a Fence after the last Step, it is read.
func TestPairKeepsTwoStates(t *testing.T) {
	const steps = 6
	shape := parts.Shape{Rows: 11, Columns: 3, Halo: 1, Wrap: true}
	want := waves(shape, steps)
	everywhere(t, func(on fagus.Config) {
		for _, on.Check = range []fagus.Check{fagus.CheckOff, fagus.CheckOn} {
			run(t, on, func(n *fagus.Node) error { return wave(n, shape, steps, want) })
		}
	})
}

// ripple is an element of a state, from the two states before it.
func ripple(older, above, here, below int64) int64 { return above + below + 3*here - 2*older }

// waves returns the elements that wave computes.
func waves(s parts.Shape, steps int) []int64 {
	older, now, next := make([]int64, s.Rows*s.Columns), make([]int64, s.Rows*s.Columns), make([]int64, s.Rows*s.Columns)
	for i := range now {
		older[i], now[i] = int64(i), int64(2*i)
	}
	for range steps {
		for i := range next {
			next[i] = ripple(older[i], now[(i+len(now)-s.Columns)%len(now)], now[i], now[(i+s.Columns)%len(now)])
		}
		older, now, next = now, next, older
	}
	return now
}

func wave(n *fagus.Node, s parts.Shape, steps int, want []int64) error {
	p, err := parts.NewPair[int64](n, "p", s)
	if err != nil {
		return err
	}
	each := func(f func(i, j int) int64) func() error {
		return func() error {
			lo, hi := p.Now.Mine()
			for i := lo; i < hi; i++ {
				for j := range s.Columns {
					p.Next.Row(i)[j] = f(i, j)
				}
			}
			return nil
		}
	}
	for factor := range 2 {
		if err := p.Fill(each(func(i, j int) int64 { return int64((factor + 1) * (i*s.Columns + j)) })); err != nil {
			return err
		}
	}
	for range steps {
		err := p.Step(each(func(i, j int) int64 {
			return ripple(p.Next.Row(i)[j], p.Now.Row(i - 1)[j], p.Now.Row(i)[j], p.Now.Row(i + 1)[j])
		}))
		if err != nil {
			return err
		}
	}
	return n.During(n.Set(p.Now.WantAll(fagus.Shared)...), func() error {
		for i, x := range p.Now.Slice() {
			if x != want[i] {
				return fmt.Errorf("element %d is %d, want %d", i, x, want[i])
			}
		}
		return nil
	})
}
