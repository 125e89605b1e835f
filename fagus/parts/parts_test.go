package parts_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// everywhere calls test for both modes, for 1 to 4 nodes, on several networks, and with lists that
// travel over a tree.
func everywhere(t *testing.T, test func(on fagus.Config)) {
	simulated, err := sim.New(sim.Config{Seed: 3, Limit: 100 * dimmnet.Second})
	if err != nil {
		t.Fatal(err)
	}
	nets := []dimmnet.Network{inproc.New(inproc.Config{})}
	if shm.Supported() == nil {
		nets = append(nets, shm.New(shm.Config{}))
	}
	lists := []int{2, 4, 11} // 11: a tree of three levels
	if testing.Short() {     // as longtest.OneThread
		lists = nil
	} else {
		nets = append(nets, simulated)
	}
	for _, net := range nets {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			for nodes := 1; nodes <= 4; nodes++ {
				test(fagus.Config{Nodes: nodes, Net: net, Mode: mode})
			}
		}
	}
	for _, nodes := range lists {
		test(fagus.Config{Nodes: nodes, Net: simulated, Lists: fagus.ListsTree})
	}
}

// run runs a program.
func run(t *testing.T, on fagus.Config, program func(*fagus.Node) error) {
	t.Helper()
	runFor(t, on, func(n *fagus.Node) (struct{}, error) { return struct{}{}, program(n) })
}

// runFor runs a program, and returns the results of all ranks.
func runFor[R any](t *testing.T, on fagus.Config, program func(*fagus.Node) (R, error)) []R {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	results := make([]R, on.Nodes)
	_, err := fagus.Run(ctx, on, func(n *fagus.Node) (err error) {
		results[n.Rank()], err = program(n)
		return err
	})
	if err != nil {
		t.Fatalf("%d nodes, %v mode: %v", on.Nodes, on.Mode, err)
	}
	return results
}

// TestBlock: blocks are in order, contain every item, and differ in size by one at most.
func TestBlock(t *testing.T) {
	for n := range 40 {
		for ranks := 1; ranks <= 12; ranks++ {
			at := 0
			for rank := range ranks {
				lo, hi := parts.Block(n, ranks, rank)
				if lo != at || hi-lo < n/ranks || hi-lo > n/ranks+1 {
					t.Fatalf("the block of rank %d of %d in %d items is [%d, %d)", rank, ranks, n, lo, hi)
				}
				for i := lo; i < hi; i++ {
					if owner := parts.Owner(n, ranks, i); owner != rank {
						t.Fatalf("item %d of %d belongs to rank %d of %d, want %d", i, n, owner, ranks, rank)
					}
				}
				at = hi
			}
			if at != n {
				t.Fatalf("the blocks of %d ranks have %d of %d items", ranks, at, n)
			}
		}
	}
	if got := parts.Cyclic(10, 4, 1); !slices.Equal(got, []int{1, 5, 9}) {
		t.Errorf("rank 1 of 4 has items %v of 10, want 1, 5 and 9", got)
	}
}

// TestSums adds vectors in several rounds, and compares with the vectors of all ranks.
func TestSums(t *testing.T) {
	everywhere(t, func(on fagus.Config) {
		run(t, on, func(n *fagus.Node) error {
			s, err := parts.NewSums[float64](n, "s", 5)
			if err != nil {
				return err
			}
			e, err := parts.NewExactSums(n, "e", 2)
			if err != nil {
				return err
			}
			for round := range 5 {
				if err := addUp(n, s, e, round); err != nil {
					return err
				}
			}
			return s.Add(make([]float64, 5))
		})
	})
}

func addUp(n *fagus.Node, s *parts.Sums[float64], e *parts.ExactSums, round int) error {
	number := func(rank, i int) float64 { return 1 / float64(1+rank+3*i+7*round) }
	x, want := make([]float64, 5), make([]float64, 5)
	for i := range x {
		x[i] = number(n.Rank(), i)
		for r := range n.Nodes() {
			want[i] += number(r, i)
		}
	}
	if err := s.Add(x); err != nil {
		return err
	}
	if !slices.Equal(x, want) {
		return fmt.Errorf("round %d: rank %d has the sums %g, want %g", round, n.Rank(), x, want)
	}
	// All rank counts divide the same numbers, so the sum must be the one of a single rank.
	all, mine := make([]parts.Exact, 2), make([]parts.Exact, 2)
	for i := range 100 {
		for j := range all {
			x := number(i, j) * 1e10
			all[j].Add(x)
			if i%n.Nodes() == n.Rank() {
				mine[j].Add(x)
			}
		}
	}
	if err := e.Add(mine); err != nil {
		return err
	}
	for j := range all {
		if got, want := mine[j].Float64(), all[j].Float64(); got != want {
			return fmt.Errorf("round %d: rank %d has the exact sum %x, want %x", round, n.Rank(), got, want)
		}
	}
	return nil
}

// TestGrid smooths rows for several rounds, and compares with a sequential computation.
func TestGrid(t *testing.T) {
	for _, wrap := range []bool{false, true} {
		for _, halo := range []int{1, 2} {
			const rows, columns, rounds = 11, 5, 4
			want := smoothed(rows, columns, halo, rounds, wrap)
			everywhere(t, func(on fagus.Config) {
				results := runFor(t, on, func(n *fagus.Node) ([]float64, error) {
					return smoothShared(n, parts.Shape{Rows: rows, Columns: columns, Halo: halo, Wrap: wrap}, rounds)
				})
				for rank, got := range results {
					if !slices.Equal(got, want) {
						t.Errorf("%d nodes, %v mode, wrap %v, halo %d: rank %d has %v, want %v", on.Nodes, on.Mode, wrap, halo, rank, got, want)
					}
				}
			})
		}
	}
}

// TestWantRows: WantRows requests the rows of any rank, also across the end of the grid, and
// no other rows.
func TestWantRows(t *testing.T) {
	everywhere(t, func(on fagus.Config) {
		run(t, on, func(n *fagus.Node) error {
			g, err := parts.NewGrid[int32](n, "g", parts.Shape{Rows: 5 * n.Nodes(), Columns: 3, Halo: 1, Wrap: true})
			if err != nil {
				return err
			}
			lo, hi := g.Mine()
			if err := n.During(n.Set(g.WantFill()...), func() error {
				for i := lo; i < hi; i++ {
					g.Row(i)[0], g.Row(i)[2] = int32(i), int32(-i)
				}
				return nil
			}); err != nil {
				return err
			}
			if err := n.Barrier(); err != nil {
				return err
			}
			if none := g.WantRows(hi, hi); len(none) > 0 {
				t.Errorf("%d variables requested for no rows", len(none))
			}
			// These rows are in the previous rank's last two strips and this rank's first.
			wants := g.WantRows(lo-2, lo+1)
			if len(wants) != 3 {
				t.Errorf("%d nodes: WantRows requests %d variables, want 3", n.Nodes(), len(wants))
			}
			return n.During(n.Set(wants...), func() error {
				for i := lo - 2; i <= lo; i++ {
					if number := int32((i + g.Rows) % g.Rows); g.Row(i)[0] != number || g.Row(i)[2] != -number {
						t.Errorf("%d nodes, %v mode: rank %d sees %d as row %d", on.Nodes, on.Mode, n.Rank(), g.Row(i), i)
					}
				}
				return nil
			})
		})
	})
}

// start returns the initial value of element i.
func start(i int) float64 { return float64(i * i % 17) }

// smooth sets to to a weighted sum of the rows around row i.
func smooth(to []float64, row func(int) []float64, i, rows, halo int, wrap bool) {
	clear(to)
	for d := -halo; d <= halo; d++ {
		if wrap || i+d >= 0 && i+d < rows {
			for c, x := range row(i + d) {
				to[c] += x / float64(2+d*d)
			}
		}
	}
}

// smoothed returns the result of the sequential computation.
func smoothed(rows, columns, halo, rounds int, wrap bool) []float64 {
	from, to := make([]float64, rows*columns), make([]float64, rows*columns)
	for i := range from {
		from[i] = start(i)
	}
	for range rounds {
		for i := range rows {
			smooth(to[i*columns:][:columns], func(i int) []float64 { return from[(i+rows)%rows*columns:][:columns] }, i, rows, halo, wrap)
		}
		from, to = to, from
	}
	return from
}

// smoothShared computes the result of smoothed on all ranks together.
func smoothShared(n *fagus.Node, s parts.Shape, rounds int) ([]float64, error) {
	p, err := parts.NewPair[float64](n, "a", s)
	if err != nil {
		return nil, err
	}
	lo, hi := p.Now.Mine()
	if err := p.Fill(func() error {
		for i := lo * s.Columns; i < hi*s.Columns; i++ {
			p.Next.Slice()[i] = start(i)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	for range rounds {
		if err := p.Step(func() error {
			for i := lo; i < hi; i++ {
				smooth(p.Next.Row(i), p.Now.Row, i, s.Rows, s.Halo, s.Wrap)
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	var result []float64
	err = n.During(n.Set(p.Now.WantAll(fagus.Shared)...), func() error {
		result = slices.Clone(p.Now.Slice())
		return nil
	})
	return result, err
}

// TestPairIsChecked: in both modes, only the Pair itself orders what the ranks do with it.
func TestPairIsChecked(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("Config.Check needs Linux")
	}
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		run(t, fagus.Config{Nodes: 3, Mode: mode, Check: fagus.CheckOn}, func(n *fagus.Node) error {
			_, err := smoothShared(n, parts.Shape{Rows: 3 * 4096, Columns: 1, Halo: 1, Wrap: true}, 3)
			return err
		})
	}
}

// TestMistakes: invalid arguments give errors.
func TestMistakes(t *testing.T) {
	run(t, fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		for what, err := range map[string]error{
			"blocks of no items":                    second(parts.NewBlocks[int](n, "a", 0, 1)),
			"a grid without columns":                second(parts.NewGrid[int](n, "b", parts.Shape{Rows: 3})),
			"a halo of more rows than the grid has": second(parts.NewGrid[int](n, "c", parts.Shape{Rows: 3, Columns: 1, Halo: 4})),
			"empty batches":                         second(parts.NewQueue(n, "d", 3, 0)),
			"a pool without room":                   second(parts.NewPool[int](n, "d", 0)),
		} {
			if err == nil {
				t.Errorf("%s: no error, want one", what)
			}
		}
		s, err := parts.NewSums[int](n, "e", 3)
		if err == nil && s.Add(make([]int, 2)) == nil {
			t.Error("no error for a vector of 2 elements and sums of 3")
		}
		return err
	})
}

func second[T any](_ T, err error) error { return err }
