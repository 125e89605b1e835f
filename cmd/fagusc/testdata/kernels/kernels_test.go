package kernels

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// kernel is a function with input. run calls the function, or its parallel version if n is not nil,
// and returns all values that the function changes.
type kernel struct {
	name string
	run  func(n *fagus.Node, r *rand.Rand) (any, error)
}

func floats(r *rand.Rand, n int) []float64 {
	x, state := make([]float64, n), r.Uint64()
	for i := range x {
		state = state*6364136223846793005 + 1442695040888963407
		x[i] = float64(int64(state)) / (1 << 63)
	}
	return x
}

// kernels returns all kernels, for problems of a size.
func kernels(n int) []kernel {
	return []kernel{
		{"Matmul", func(node *fagus.Node, r *rand.Rand) (any, error) {
			a, b, c := floats(r, n*n), floats(r, n*n), floats(r, n*n)
			if node != nil {
				return c, MatmulOn(node, a, b, c, n)
			}
			Matmul(a, b, c, n)
			return c, nil
		}},
		{"Transpose", func(node *fagus.Node, r *rand.Rand) (any, error) {
			a, b := floats(r, n*n), floats(r, n*n)
			if node != nil {
				return b, TransposeOn(node, a, b, n)
			}
			Transpose(a, b, n)
			return b, nil
		}},
		{"LU", func(node *fagus.Node, r *rand.Rand) (any, error) {
			a := floats(r, n*n)
			for i := range n {
				a[i*n+i] += float64(n)
			}
			if node != nil {
				return a, LUOn(node, a, n)
			}
			LU(a, n)
			return a, nil
		}},
		{"Solve", func(node *fagus.Node, r *rand.Rand) (any, error) {
			l, x := floats(r, n*n), floats(r, n)
			for i := range n {
				l[i*n+i] += float64(n)
			}
			if node != nil {
				return x, SolveOn(node, l, x, n)
			}
			Solve(l, x, n)
			return x, nil
		}},
		{"FloydWarshall", func(node *fagus.Node, r *rand.Rand) (any, error) {
			d := make([]float64, n*n)
			for i := range d {
				d[i] = r.Float64()
			}
			if node != nil {
				return d, FloydWarshallOn(node, d, n)
			}
			FloydWarshall(d, n)
			return d, nil
		}},
		{"Histogram", func(node *fagus.Node, r *rand.Rand) (any, error) {
			values, count := make([]int32, 40*n), make([]int64, n)
			for i := range values {
				values[i] = int32(r.IntN(n))
			}
			for i := range count {
				count[i] = int64(i)
			}
			if node != nil {
				return count, HistogramOn(node, values, count)
			}
			Histogram(values, count)
			return count, nil
		}},
		{"Gather", func(node *fagus.Node, r *rand.Rand) (any, error) {
			to, from, index := floats(r, 3*n), floats(r, n), make([]int, 3*n)
			for i := range index {
				index[i] = r.IntN(n)
			}
			if node != nil {
				return to, GatherOn(node, to, from, index)
			}
			Gather(to, from, index)
			return to, nil
		}},
		{"Forces", func(node *fagus.Node, r *rand.Rand) (any, error) {
			bodies, force := make([]Body, n), make([][3]float64, n)
			for i := range bodies {
				bodies[i] = Body{r.Float64(), r.Float64(), r.Float64(), r.Float64()}
			}
			if node != nil {
				return force, ForcesOn(node, bodies, force)
			}
			Forces(bodies, force)
			return force, nil
		}},
		{"PrefixSum", func(node *fagus.Node, r *rand.Rand) (any, error) {
			a := make([]int64, 70*n)
			for i := range a {
				a[i] = int64(r.IntN(100))
			}
			if node != nil {
				return a, PrefixSumOn(node, a)
			}
			PrefixSum(a)
			return a, nil
		}},
		{"Jacobi", func(node *fagus.Node, r *rand.Rand) (any, error) {
			a := floats(r, n*n)
			b := append([]float64(nil), a...)
			if node != nil {
				err := JacobiOn(node, a, b, n, 5)
				return [][]float64{a, b}, err
			}
			Jacobi(a, b, n, 5)
			return [][]float64{a, b}, nil
		}},
		{"SOR", func(node *fagus.Node, r *rand.Rand) (any, error) {
			type result struct {
				u      []float64
				sweeps int
				change float64
			}
			x, err := result{u: floats(r, n*n)}, error(nil)
			if node != nil {
				x.sweeps, x.change, err = SOROn(node, x.u, n, 1.5, 1e-4, 12)
				return x, err
			}
			x.sweeps, x.change = SOR(x.u, n, 1.5, 1e-4, 12)
			return x, nil
		}},
		{"Heat", func(node *fagus.Node, r *rand.Rand) (any, error) {
			nx, ny, nz := n, n/2+3, n/3+3
			to, from := floats(r, nx*ny*nz), floats(r, nx*ny*nz)
			if node != nil {
				return to, HeatOn(node, to, from, nx, ny, nz, 0.1)
			}
			Heat(to, from, nx, ny, nz, 0.1)
			return to, nil
		}},
	}
}

// parallel returns the result of a kernel at rank 0.
func parallel(t *testing.T, k kernel, cfg fagus.Config, seed uint64) any {
	t.Helper()
	var got any
	if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
		region.Together(n)
		seed := seed
		if n.Rank() > 0 {
			seed++ // the input of other ranks is ignored
		}
		result, err := k.run(n, rand.New(rand.NewPCG(seed, 1)))
		if n.Rank() == 0 {
			got = result
		}
		return err
	}); err != nil {
		t.Errorf("%s on %d nodes in %v mode: %v", k.name, cfg.Nodes, cfg.Mode, err)
	}
	return got
}

// TestSame checks that every kernel gives the bits of the sequential one, on any number of ranks,
// in both modes, with private and shared copies.
func TestSame(t *testing.T) {
	for _, size := range []int{1, 2, 3, 7, 20} {
		for _, k := range kernels(size) {
			want, _ := k.run(nil, rand.New(rand.NewPCG(7, 1)))
			for nodes := 1; nodes <= 5; nodes++ {
				for _, cfg := range []fagus.Config{
					{},
					{Placement: fagus.PlacePrivate},
					{Placement: fagus.PlaceShared},
					{Placement: fagus.PlacePrivate, Mode: fagus.Threaded},
					{Check: fagus.CheckStrict},
				} {
					if cfg.Check != fagus.CheckOff && (runtime.GOOS != "linux" || nodes != 3) {
						continue
					}
					cfg.Nodes = nodes
					if got := parallel(t, k, cfg, 7); !reflect.DeepEqual(got, want) {
						t.Errorf("%s of size %d on %d nodes, %v mode, %v: the results differ from the sequential ones", k.name, size, nodes, cfg.Mode, cfg.Placement)
					}
				}
			}
		}
	}
}

// TestAgain calls all functions in random order in one run, with two sizes.
func TestAgain(t *testing.T) {
	all := append(kernels(9), kernels(6)...)
	for _, cfg := range []fagus.Config{{Nodes: 3}, {Nodes: 3, Placement: fagus.PlacePrivate}, {Nodes: 3, Placement: fagus.PlaceShared}, {Nodes: 3, Placement: fagus.PlacePrivate, Mode: fagus.Threaded}} {
		if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
			region.Together(n)
			order := rand.New(rand.NewPCG(5, 1))
			for call := range 100 {
				k, seed := all[order.IntN(len(all))], uint64(call)
				want, _ := k.run(nil, rand.New(rand.NewPCG(seed, 1)))
				if n.Rank() > 0 {
					seed += 1000
				}
				got, err := k.run(n, rand.New(rand.NewPCG(seed, 1)))
				if err != nil {
					return err
				}
				if n.Rank() == 0 && !reflect.DeepEqual(got, want) {
					return fmt.Errorf("call %d, of %s: the results differ from the sequential ones", call, k.name)
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
	const length = 1003
	for nodes := 1; nodes <= 4; nodes++ {
		r := rand.New(rand.NewPCG(3, 1))
		a, b := floats(r, length), floats(r, length)
		sum := 0.0
		for rank, i := 0, 0; rank < nodes; rank++ {
			part := 0.0
			for end := i + (length+nodes-1-rank)/nodes; i < end; i++ {
				part += a[i] * b[i]
			}
			sum += part
		}
		if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes}, func(n *fagus.Node) error {
			region.Together(n)
			got, err := DotOn(n, a, b)
			if got != sum && err == nil {
				err = fmt.Errorf("rank %d: Dot returned %v, want %v", n.Rank(), got, sum)
			}
			return err
		}); err != nil {
			t.Errorf("%d nodes: %v", nodes, err)
		}
	}
}
