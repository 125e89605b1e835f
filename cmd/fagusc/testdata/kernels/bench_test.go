package kernels

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
)

// BenchmarkSpeedup runs every kernel sequentially and on 2 ranks, alternately, and reports the
// speed-up, including planning, input and output.
func BenchmarkSpeedup(b *testing.B) {
	sizes := map[string]int{"Matmul": 768, "Transpose": 2000, "LU": 512, "Solve": 1000, "FloydWarshall": 512, "Histogram": 100000,
		"Gather": 1000000, "Forces": 4000, "PrefixSum": 100000, "Jacobi": 2000, "SOR": 1000, "Heat": 300}
	for _, at := range kernels(1) {
		b.Run(at.name, func(b *testing.B) {
			k := named(at.name, sizes[at.name])
			var alone, shared time.Duration
			for b.Loop() {
				alone += took(func() { _, _ = k.run(nil, rand.New(rand.NewPCG(1, 1))) })
				shared += took(func() {
					if _, err := fagus.Run(b.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
						_, err := k.run(n, rand.New(rand.NewPCG(1, 1)))
						return err
					}); err != nil {
						b.Fatal(err)
					}
				})
			}
			b.ReportMetric(float64(alone)/float64(shared), "speedup")
			b.ReportMetric(float64(shared)/float64(b.N)/1e6, "ms/shared")
		})
	}
}

func took(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

// named returns the kernel with a name, for problems of a size.
func named(name string, size int) kernel {
	for _, k := range kernels(size) {
		if k.name == name {
			return k
		}
	}
	return kernel{}
}
