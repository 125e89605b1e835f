package main

import (
	"github.com/fagus-dsm/fagus/cmd/fagusc/kernels"
	"github.com/fagus-dsm/fagus/cmd/fagusc/kernels/byhand"
	"github.com/fagus-dsm/fagus/fagus"
)

// problem is a kernel with input: made gives what fagusc has made of it, hand what a programmer has. Each call has input of its own.
type problem struct {
	name, size string
	made, hand func(n *fagus.Node) error
}

// floats are numbers in [-1, 1), always the same.
func floats(n int) []float64 {
	x, state := make([]float64, n), uint64(7)
	for i := range x {
		state = state*6364136223846793005 + 1442695040888963407
		x[i] = float64(int64(state)) / (1 << 63)
	}
	return x
}

// dominant is a matrix of order n with a large diagonal.
func dominant(n int) []float64 {
	a := floats(n * n)
	for i := range n {
		a[i*n+i] += float64(n)
	}
	return a
}

// distances are between n places.
func distances(n int) []float64 {
	d := floats(n * n)
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
				return kernels.MatmulOn(n, floats(1<<18), floats(1<<18), floats(1<<18), 512)
			},
			func(n *fagus.Node) error { return byhand.Matmul(n, floats(1<<18), floats(1<<18), floats(1<<18), 512) }},
		{"Transpose", "n 256",
			func(n *fagus.Node) error { return kernels.TransposeOn(n, floats(1<<16), floats(1<<16), 256) },
			func(n *fagus.Node) error { return byhand.Transpose(n, floats(1<<16), floats(1<<16), 256) }},
		{"LU", "n 512",
			func(n *fagus.Node) error { return kernels.LUOn(n, dominant(512), 512) },
			func(n *fagus.Node) error { return byhand.LU(n, dominant(512), 512) }},
		{"Solve", "n 256",
			func(n *fagus.Node) error { return kernels.SolveOn(n, dominant(256), floats(256), 256) },
			func(n *fagus.Node) error { return byhand.Solve(n, dominant(256), floats(256), 256) }},
		{"FloydWarshall", "n 512",
			func(n *fagus.Node) error { return kernels.FloydWarshallOn(n, distances(512), 512) },
			func(n *fagus.Node) error { return byhand.FloydWarshall(n, distances(512), 512) }},
		{"Jacobi", "256 x 256, 20 sweeps",
			func(n *fagus.Node) error { return kernels.JacobiOn(n, floats(1<<16), floats(1<<16), 256, 10) },
			func(n *fagus.Node) error { return byhand.Jacobi(n, floats(1<<16), floats(1<<16), 256, 10) }},
		{"SOR", "256 x 256, 20 sweeps",
			func(n *fagus.Node) error { _, _, err := kernels.SOROn(n, floats(1<<16), 256, 1.5, 0, 20); return err },
			func(n *fagus.Node) error { _, _, err := byhand.SOR(n, floats(1<<16), 256, 1.5, 0, 20); return err }},
		{"Heat", "64 x 64 x 64",
			func(n *fagus.Node) error { return kernels.HeatOn(n, floats(1<<18), floats(1<<18), 64, 64, 64, 0.1) },
			func(n *fagus.Node) error { return byhand.Heat(n, floats(1<<18), floats(1<<18), 64, 64, 64, 0.1) }},
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
		b, x := make([]kernels.Body, 4000), floats(16_000)
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
			func(n *fagus.Node) error { return kernels.GatherOn(n, floats(large), floats(10_000), index()) },
			func(n *fagus.Node) error { return byhand.Gather(n, floats(large), floats(10_000), index()) }},
		{"Forces", "4000 bodies",
			func(n *fagus.Node) error { return kernels.ForcesOn(n, bodies(), make([][3]float64, 4000)) },
			func(n *fagus.Node) error { return byhand.Forces(n, bodies(), make([][3]float64, 4000)) }},
		{"Dot", "200000",
			func(n *fagus.Node) error { _, err := kernels.DotOn(n, floats(large), floats(large)); return err },
			func(n *fagus.Node) error { _, err := byhand.Dot(n, floats(large), floats(large)); return err }},
		{"PrefixSum", "200000",
			func(n *fagus.Node) error { return kernels.PrefixSumOn(n, make([]int64, large)) },
			func(n *fagus.Node) error { return byhand.PrefixSum(n, make([]int64, large)) }},
	}
}
