package byhand_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/cmd/fagusc/testdata/kernels"
	"github.com/fagus-dsm/fagus/cmd/fagusc/testdata/kernels/byhand"
	"github.com/fagus-dsm/fagus/fagus"
)

// kernel runs one kernel on random input of a given size; sequentially if node n is nil.
type kernel struct {
	name string
	run  func(n *fagus.Node, r *rand.Rand, size int) (outcome, error)
}

// outcome holds the slices and results of a rank.
type outcome struct {
	before, after []uint64 // bits of the slices before and after the run
	results       []float64
}

// end returns the outcome of a finished run. The parameter before holds the bits at its start.
func end(before []uint64, results []float64, slices ...any) outcome {
	return outcome{before, bits(slices...), results}
}

func floats(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.Float64()*2 - 1
	}
	return x
}

// dominant returns a diagonally dominant matrix of order n.
func dominant(r *rand.Rand, n int) []float64 {
	a := floats(r, n*n)
	for i := range n {
		a[i*n+i] += float64(n)
	}
	return a
}

// bits returns the bits of all numbers in slices.
func bits(slices ...any) (b []uint64) {
	for _, s := range slices {
		switch s := s.(type) {
		case []float64:
			for _, x := range s {
				b = append(b, math.Float64bits(x))
			}
		case []int64:
			for _, x := range s {
				b = append(b, uint64(x))
			}
		case [][3]float64:
			for _, x := range s {
				b = append(b, bits(x[:])...)
			}
		default:
			panic(fmt.Sprintf("byhand: bits of a %T", s))
		}
	}
	return b
}

// dense are the matrix kernels.
var dense = []kernel{
	{"Matmul", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		a, b, c := floats(r, size*size), floats(r, size*size), floats(r, size*size)
		before := bits(a, b, c)
		if n == nil {
			kernels.Matmul(a, b, c, size)
		} else {
			err = byhand.Matmul(n, a, b, c, size)
		}
		return end(before, nil, a, b, c), err
	}},
	{"Transpose", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		a, b := floats(r, size*size), floats(r, size*size)
		before := bits(a, b)
		if n == nil {
			kernels.Transpose(a, b, size)
		} else {
			err = byhand.Transpose(n, a, b, size)
		}
		return end(before, nil, a, b), err
	}},
	{"LU", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		a := dominant(r, size)
		before := bits(a)
		if n == nil {
			kernels.LU(a, size)
		} else {
			err = byhand.LU(n, a, size)
		}
		return end(before, nil, a), err
	}},
	{"Solve", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		l, x := dominant(r, size), floats(r, size)
		before := bits(l, x)
		if n == nil {
			kernels.Solve(l, x, size)
		} else {
			err = byhand.Solve(n, l, x, size)
		}
		return end(before, nil, l, x), err
	}},
	{"FloydWarshall", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		d := make([]float64, size*size)
		for i := range d {
			d[i] = r.Float64()
		}
		before := bits(d)
		if n == nil {
			kernels.FloydWarshall(d, size)
		} else {
			err = byhand.FloydWarshall(n, d, size)
		}
		return end(before, nil, d), err
	}},
}

// irregular are the vector kernels.
var irregular = []kernel{
	{"Histogram", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		values, count := make([]int32, 40*size), make([]int64, size)
		for i := range values {
			values[i] = int32(r.IntN(size))
		}
		for i := range count {
			count[i] = r.Int64N(100)
		}
		before := bits(count)
		if n == nil {
			kernels.Histogram(values, count)
		} else {
			err = byhand.Histogram(n, values, count)
		}
		return end(before, nil, count), err
	}},
	{"Gather", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		to, from, index := floats(r, 3*size+1), floats(r, size), make([]int, 3*size)
		for i := range index {
			index[i] = r.IntN(size)
		}
		before := bits(to, from)
		if n == nil {
			kernels.Gather(to, from, index)
		} else {
			err = byhand.Gather(n, to, from, index)
		}
		return end(before, nil, to, from), err
	}},
	{"Forces", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		bodies, force := make([]kernels.Body, size), make([][3]float64, size)
		for i := range bodies {
			bodies[i] = kernels.Body{X: r.Float64(), Y: r.Float64(), Z: r.Float64(), Mass: r.Float64()}
			force[i][0] = r.Float64()
		}
		before := bits(force)
		if n == nil {
			kernels.Forces(bodies, force)
		} else {
			err = byhand.Forces(n, bodies, force)
		}
		return end(before, nil, force), err
	}},
	{"PrefixSum", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		a := make([]int64, 70*size)
		for i := range a {
			a[i] = r.Int64() // large numbers, so that sums overflow
		}
		before := bits(a)
		if n == nil {
			kernels.PrefixSum(a)
		} else {
			err = byhand.PrefixSum(n, a)
		}
		return end(before, nil, a), err
	}},
}

// grids are the stencil kernels.
var grids = []kernel{
	{"Jacobi", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		// b has a border of its own, which is part of the input.
		a, b := floats(r, size*size), floats(r, size*size)
		before := bits(a, b)
		if n == nil {
			kernels.Jacobi(a, b, size, 5)
		} else {
			err = byhand.Jacobi(n, a, b, size, 5)
		}
		return end(before, nil, a, b), err
	}},
	{"SOR", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		u, sweeps, change := floats(r, size*size), 0, 0.0
		before := bits(u)
		if n == nil {
			sweeps, change = kernels.SOR(u, size, 1.5, 1e-4, 12)
		} else {
			sweeps, change, err = byhand.SOR(n, u, size, 1.5, 1e-4, 12)
		}
		return end(before, []float64{float64(sweeps), change}, u), err
	}},
	{"SOR to the limit", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		u, sweeps, change := floats(r, size*size), 0, 0.0
		before := bits(u)
		if n == nil {
			sweeps, change = kernels.SOR(u, size, 1.2, 0.1, 1000)
		} else {
			sweeps, change, err = byhand.SOR(n, u, size, 1.2, 0.1, 1000)
		}
		return end(before, []float64{float64(sweeps), change}, u), err
	}},
	{"Heat", func(n *fagus.Node, r *rand.Rand, size int) (o outcome, err error) {
		nx, ny, nz := size, size/2+3, size/3+3
		to, from := floats(r, nx*ny*nz), floats(r, nx*ny*nz)
		before := bits(to, from)
		if n == nil {
			kernels.Heat(to, from, nx, ny, nz, 0.1)
		} else {
			err = byhand.Heat(n, to, from, nx, ny, nz, 0.1)
		}
		return end(before, nil, to, from), err
	}},
}

// configs returns the configurations for a number of nodes.
func configs(nodes int) []fagus.Config {
	return []fagus.Config{
		{Nodes: nodes, Placement: fagus.PlacePrivate},
		{Nodes: nodes, Placement: fagus.PlaceShared},
		{Nodes: nodes, Placement: fagus.PlacePrivate, Mode: fagus.Threaded},
	}
}

// input returns the random source for a rank's input. Only the input of rank 0 matters.
func input(rank int) *rand.Rand { return rand.New(rand.NewPCG(7, uint64(min(rank, 1)))) }

// TestSame checks that rank 0 has the bits of the sequential kernel, that all ranks have its
// results, and that the slices of other ranks are unchanged.
func TestSame(t *testing.T) {
	for _, size := range []int{0, 1, 2, 3, 7, 20} {
		for _, k := range slices.Concat(dense, irregular, grids) {
			want, _ := k.run(nil, input(0), size)
			for nodes := 1; nodes <= 5; nodes++ {
				for _, cfg := range configs(nodes) {
					if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
						got, err := k.run(n, input(n.Rank()), size)
						switch {
						case err != nil:
						case n.Rank() == 0 && !slices.Equal(got.after, want.after):
							err = errors.New("the slices or results of rank 0 differ from the sequential ones")
						case n.Rank() > 0 && !slices.Equal(got.after, got.before):
							err = fmt.Errorf("rank %d: its slices have changed, want only those of rank 0 changed", n.Rank())
						case !slices.Equal(got.results, want.results):
							err = fmt.Errorf("rank %d: results %v, want %v", n.Rank(), got.results, want.results)
						}
						return err
					}); err != nil {
						t.Errorf("%s of size %d on %d nodes, %v mode, %v: %v", k.name, size, nodes, cfg.Mode, cfg.Placement, err)
					}
				}
			}
		}
	}
}

// TestTogether checks that one run can call all functions in sequence, repeatedly.
func TestTogether(t *testing.T) {
	const size = 11
	for _, cfg := range configs(3) {
		if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
			for _, k := range slices.Concat(dense, irregular, grids, dense, irregular, grids) {
				want, _ := k.run(nil, input(0), size)
				got, err := k.run(n, input(n.Rank()), size)
				if err == nil && n.Rank() == 0 && !slices.Equal(got.after, want.after) {
					err = errors.New("the slices or results of rank 0 differ from the sequential ones")
				}
				if err != nil {
					return fmt.Errorf("%s: %w", k.name, err)
				}
			}
			return nil
		}); err != nil {
			t.Errorf("%v mode, %v: %v", cfg.Mode, cfg.Placement, err)
		}
	}
}

// TestDot checks that the parts are added in rank order, and each part in index order.
func TestDot(t *testing.T) {
	for _, length := range []int{0, 1, 2, 3, 7, 20, 1003} {
		a, b := floats(input(0), length), floats(input(1), length)
		for nodes := 1; nodes <= 5; nodes++ {
			sum := 0.0
			for rank, i := 0, 0; rank < nodes; rank++ {
				part := 0.0
				for end := i + (length+nodes-1-rank)/nodes; i < end; i++ {
					part += a[i] * b[i]
				}
				sum += part
			}
			for _, cfg := range configs(nodes) {
				if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
					x, y := a, b
					if n.Rank() > 0 {
						x, y = make([]float64, length), make([]float64, length)
					}
					got, err := byhand.Dot(n, x, y)
					if err == nil && math.Float64bits(got) != math.Float64bits(sum) {
						err = fmt.Errorf("rank %d: Dot returned %v, want %v", n.Rank(), got, sum)
					}
					return err
				}); err != nil {
					t.Errorf("%d elements, %d nodes, %v mode, %v: %v", length, nodes, cfg.Mode, cfg.Placement, err)
				}
			}
		}
	}
}

// TestCheck checks that no rank accesses data that it does not hold.
func TestCheck(t *testing.T) {
	for _, k := range slices.Concat(dense, irregular, grids) {
		if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 3, Check: fagus.CheckStrict}, func(n *fagus.Node) error {
			_, err := k.run(n, input(n.Rank()), 12)
			return err
		}); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}
