package parts_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// TestSmallMistakes: accesses without a variable are found even in arrays so small that all
// variables share a page. Correct programs are checked as a whole: no variable counts as sharing.
func TestSmallMistakes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Config.Check needs Linux")
	}
	for _, c := range []struct {
		what, want string // in the error after the verb, which needs amd64; "": no error
		program    func(*fagus.Node) error
	}{
		{"a Pair with its halo", "", func(n *fagus.Node) error { return blur(n, 1, 1, false) }},
		{"a Pair without a halo", ` p.even[`, func(n *fagus.Node) error { return blur(n, 0, 1, false) }},
		{"a halo that is too small", ` p.even[`, func(n *fagus.Node) error { return blur(n, 1, 2, false) }},
		{"the grid of the step before", ` p.even[`, func(n *fagus.Node) error { return blur(n, 1, 1, true) }},
		{"a write to the rows of another rank", ` g[`, func(n *fagus.Node) error {
			g, err := parts.NewGrid[int16](n, "g", parts.Shape{Rows: 12, Columns: 3, Halo: 1})
			if err != nil {
				return err
			}
			_, hi := g.Mine()
			return n.Set(g.WantMine(fagus.Exclusive)...).Do(func() { g.Row(hi % g.Rows)[0] = 1 })
		}},
		{"a read of another block", ` b[`, func(n *fagus.Node) error {
			b, err := parts.NewBlocks[int16](n, "b", 9, 2)
			if err != nil {
				return err
			}
			return n.Set(b.WantFill()...).Do(func() { b.Mine()[0] = 1 + b.Of(1 - n.Rank()%2)[0] + b.Of(n.Rank() % 2)[0] })
		}},
		{"a Copy of blocks", ` b[`, func(n *fagus.Node) error {
			b, err := parts.NewBlocks[int16](n, "b", 9, 2)
			if err != nil {
				return err
			}
			return n.Set(b.WantFill()...).Do(func() { clear(b.Copy()) })
		}},
		{"a gathered vector after Gather", ` v/0[`, func(n *fagus.Node) error {
			v, err := parts.NewVectors[int64](n, "v", 2)
			if err != nil {
				return err
			}
			var kept []int64
			if err := v.Gather([]int64{1, 2}, func(from [][]int64) { kept = from[(n.Rank()+1)%n.Nodes()] }); err != nil {
				return err
			}
			return v.Gather([]int64{kept[0]}, nil)
		}},
		{"a message after Exchange", ` a/0[`, func(n *fagus.Node) error {
			a, err := parts.NewAllToAll[int64](n, "a", 2)
			if err != nil {
				return err
			}
			var kept []int64
			next := (n.Rank() + 1) % n.Nodes()
			send := func(to [][]int64) { to[next] = append(to[next], 5) }
			if err := a.Exchange(send, func(from [][]int64) { kept = from[(n.Rank()+n.Nodes()-1)%n.Nodes()] }); err != nil {
				return err
			}
			return a.Exchange(func(to [][]int64) { to[next] = append(to[next], kept[0]) }, func([][]int64) {})
		}},
	} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			report, err := fagus.Run(ctx, fagus.Config{Nodes: 3, Mode: mode, Check: fagus.CheckOn}, c.program)
			cancel()
			switch {
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "parts/small_test.go:")):
				t.Errorf("%s, %v mode: the error is %v, want %q in it, and its line", c.what, mode, err, c.want)
			case c.want == "" && err != nil:
				t.Errorf("%s, %v mode: %v", c.what, mode, err)
			case c.want == "" && report.Coverage.Sharing > 0:
				t.Errorf("%s, %v mode: %d of %d variables count as sharing pages", c.what, mode, report.Coverage.Sharing, report.Coverage.Variables)
			}
		}
	}
}

// blur averages the rows up to a distance of reach. If stale is set, it keeps reading the grid of
// the first step.
func blur(n *fagus.Node, halo, reach int, stale bool) error {
	p, err := parts.NewPair[float64](n, "p", parts.Shape{Rows: 12, Columns: 3, Halo: halo, Wrap: true})
	if err != nil {
		return err
	}
	lo, hi := p.Now.Mine()
	fill := func() error {
		for i := lo; i < hi; i++ {
			p.Next.Row(i)[0] = float64(i)
		}
		return nil
	}
	for range 2 {
		if err := p.Fill(fill); err != nil {
			return err
		}
	}
	from := p.Now
	for range 3 {
		if err := p.Step(func() error {
			if !stale {
				from = p.Now
			}
			for i := lo; i < hi; i++ {
				p.Next.Row(i)[1] = from.Row(i - reach)[0] + from.Row(i)[0] + from.Row(i + reach)[0]
			}
			return nil
		}); err != nil {
			return err
		}
	}
	var all []float64
	err = n.Set(p.Now.WantAll(fagus.Shared)...).Do(func() { all = p.Now.Copy() })
	clear(all)
	return err
}
