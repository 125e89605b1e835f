package byhand_test

import (
	"github.com/fagus-dsm/fagus/cmd/fagusc/testdata/kernels"
	"github.com/fagus-dsm/fagus/cmd/fagusc/testdata/kernels/byhand"
	"github.com/fagus-dsm/fagus/fagus"
)

// problem is a kernel with input: made runs the generated version, hand the hand-written one. Each
// call gets fresh input.
type problem struct {
	name, size string
	made, hand func(n *fagus.Node) error
}

// fixedFloats returns n numbers in [-1, 1), always the same ones.
func fixedFloats(n int) []float64 {
	x, state := make([]float64, n), uint64(7)
	for i := range x {
		state = state*6364136223846793005 + 1442695040888963407
		x[i] = float64(int64(state)) / (1 << 63)
	}
	return x
}

// fixedDominant returns a diagonally dominant matrix of order n.
func fixedDominant(n int) []float64 {
	a := fixedFloats(n * n)
	for i := range n {
		a[i*n+i] += float64(n)
	}
	return a
}

// fixedDistances returns the distances between n nodes.
func fixedDistances(n int) []float64 {
	d := fixedFloats(n * n)
	for i := range d {
		d[i]++
	}
	return d
}

func problems() []problem { return append(matrices(), others()...) }

func matrices() []problem {
	return []problem{
		{"Matmul", "n 512",
			func(n *fagus.Node) error {
				return kernels.MatmulOn(n, fixedFloats(1<<18), fixedFloats(1<<18), fixedFloats(1<<18), 512)
			},
			func(n *fagus.Node) error {
				return byhand.Matmul(n, fixedFloats(1<<18), fixedFloats(1<<18), fixedFloats(1<<18), 512)
			}},
		{"Transpose", "n 256",
			func(n *fagus.Node) error { return kernels.TransposeOn(n, fixedFloats(1<<16), fixedFloats(1<<16), 256) },
			func(n *fagus.Node) error { return byhand.Transpose(n, fixedFloats(1<<16), fixedFloats(1<<16), 256) }},
		{"LU", "n 512",
			func(n *fagus.Node) error { return kernels.LUOn(n, fixedDominant(512), 512) },
			func(n *fagus.Node) error { return byhand.LU(n, fixedDominant(512), 512) }},
		{"Solve", "n 256",
			func(n *fagus.Node) error { return kernels.SolveOn(n, fixedDominant(256), fixedFloats(256), 256) },
			func(n *fagus.Node) error { return byhand.Solve(n, fixedDominant(256), fixedFloats(256), 256) }},
		{"FloydWarshall", "n 512",
			func(n *fagus.Node) error { return kernels.FloydWarshallOn(n, fixedDistances(512), 512) },
			func(n *fagus.Node) error { return byhand.FloydWarshall(n, fixedDistances(512), 512) }},
		{"Jacobi", "256 x 256, 20 sweeps",
			func(n *fagus.Node) error { return kernels.JacobiOn(n, fixedFloats(1<<16), fixedFloats(1<<16), 256, 10) },
			func(n *fagus.Node) error { return byhand.Jacobi(n, fixedFloats(1<<16), fixedFloats(1<<16), 256, 10) }},
		{"SOR", "256 x 256, 20 sweeps",
			func(n *fagus.Node) error {
				_, _, err := kernels.SOROn(n, fixedFloats(1<<16), 256, 1.5, 0, 20)
				return err
			},
			func(n *fagus.Node) error { _, _, err := byhand.SOR(n, fixedFloats(1<<16), 256, 1.5, 0, 20); return err }},
		{"Heat", "64 x 64 x 64",
			func(n *fagus.Node) error {
				return kernels.HeatOn(n, fixedFloats(1<<18), fixedFloats(1<<18), 64, 64, 64, 0.1)
			},
			func(n *fagus.Node) error {
				return byhand.Heat(n, fixedFloats(1<<18), fixedFloats(1<<18), 64, 64, 64, 0.1)
			}},
	}
}

func others() []problem {
	const large = 200_000
	values := func() []int32 {
		v := make([]int32, large)
		for i := range v {
			v[i] = int32(i * 7919 % 1000)
		}
		return v
	}
	index := func() []int {
		x := make([]int, large)
		for i := range x {
			x[i] = i * 7919 % 10_000
		}
		return x
	}
	bodies := func() []kernels.Body {
		b, x := make([]kernels.Body, 4000), fixedFloats(16_000)
		for i := range b {
			b[i] = kernels.Body{X: x[4*i], Y: x[4*i+1], Z: x[4*i+2], Mass: 1 + x[4*i+3]}
		}
		return b
	}
	return []problem{
		{"Histogram", "200000 values, 1000 classes",
			func(n *fagus.Node) error { return kernels.HistogramOn(n, values(), make([]int64, 1000)) },
			func(n *fagus.Node) error { return byhand.Histogram(n, values(), make([]int64, 1000)) }},
		{"Gather", "200000 of 10000",
			func(n *fagus.Node) error {
				return kernels.GatherOn(n, fixedFloats(large), fixedFloats(10_000), index())
			},
			func(n *fagus.Node) error { return byhand.Gather(n, fixedFloats(large), fixedFloats(10_000), index()) }},
		{"Forces", "4000 bodies",
			func(n *fagus.Node) error { return kernels.ForcesOn(n, bodies(), make([][3]float64, 4000)) },
			func(n *fagus.Node) error { return byhand.Forces(n, bodies(), make([][3]float64, 4000)) }},
		{"Dot", "200000",
			func(n *fagus.Node) error {
				_, err := kernels.DotOn(n, fixedFloats(large), fixedFloats(large))
				return err
			},
			func(n *fagus.Node) error { _, err := byhand.Dot(n, fixedFloats(large), fixedFloats(large)); return err }},
		{"PrefixSum", "200000",
			func(n *fagus.Node) error { return kernels.PrefixSumOn(n, make([]int64, large)) },
			func(n *fagus.Node) error { return byhand.PrefixSum(n, make([]int64, large)) }},
	}
}
