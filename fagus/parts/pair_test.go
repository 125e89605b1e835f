package parts_test

import (
	"fmt"
	"slices"
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

// TestTogether: two fields of unlike elements and shapes, each computed from both, have the values
// that one process computes, and take as many phases as one field.
func TestTogether(t *testing.T) {
	const rows, steps = 13, 5
	wantA, wantB := twoFields(rows, steps)
	everywhere(t, func(on fagus.Config) {
		on.Check = fagus.CheckOn
		run(t, on, func(n *fagus.Node) error {
			a, err := parts.NewPair[int64](n, "a", parts.Shape{Rows: rows, Columns: 1, Halo: 1, Wrap: true})
			if err != nil {
				return err
			}
			b, err := parts.NewPair[[2]int32](n, "b", parts.Shape{Rows: rows, Columns: 3, Halo: 2, Wrap: true})
			if err != nil {
				return err
			}
			both := parts.Together(a, b)
			lo, hi := a.Now.Mine()
			each := func(f func(i int)) func() error {
				return func() error {
					for i := lo; i < hi; i++ {
						f(i)
					}
					return nil
				}
			}
			if err := both.Fill(each(func(i int) { a.Next.Row(i)[0], b.Next.Row(i)[1][1] = int64(i), int32(2*i) })); err != nil {
				return err
			}
			before := n.Stats().Phases
			for range steps {
				if err := both.Step(each(func(i int) {
					a.Next.Row(i)[0] = a.Now.Row(i - 1)[0] + int64(b.Now.Row(i + 2)[1][1])
					b.Next.Row(i)[1][1] = b.Now.Row(i - 2)[1][1] - int32(a.Now.Row(i + 1)[0]%7)
				})); err != nil {
					return err
				}
			}
			if took := n.Stats().Phases - before; on.Mode == fagus.Phase && n.Nodes() > 1 && took > steps {
				return fmt.Errorf("%d steps of two fields take %d phases", steps, took)
			}
			return n.Set(slices.Concat(a.Now.WantAll(fagus.Shared), b.Now.WantAll(fagus.Shared))...).Do(func() {
				for i := range rows {
					if gotA, gotB := a.Now.Row(i)[0], b.Now.Row(i)[1][1]; gotA != wantA[i] || gotB != wantB[i] {
						t.Errorf("%d nodes, %v mode: row %d is %d and %d, want %d and %d", on.Nodes, on.Mode, i, gotA, gotB, wantA[i], wantB[i])
					}
				}
			})
		})
	})
}

// twoFields returns what TestTogether computes.
func twoFields(rows, steps int) (a []int64, b []int32) {
	a, b = make([]int64, rows), make([]int32, rows)
	for i := range rows {
		a[i], b[i] = int64(i), int32(2*i)
	}
	for range steps {
		nextA, nextB := make([]int64, rows), make([]int32, rows)
		for i := range rows {
			nextA[i] = a[(i+rows-1)%rows] + int64(b[(i+2)%rows])
			nextB[i] = b[(i+rows-2)%rows] - int32(a[(i+1)%rows]%7)
		}
		a, b = nextA, nextB
	}
	return a, b
}
