package bench

import "github.com/fagus-dsm/fagus/apps/internal/gemm"

// Gemm multiplies matrices of one order on one processor, by package gemm, as the programs do.
type Gemm struct {
	order   int
	a, b, c []float64
	product gemm.Product // reused, so that a product allocates no memory
}

// NewGemm returns a Gemm with generated factors.
func NewGemm(order int) *Gemm {
	elements := order * order
	g := &Gemm{order: order, a: make([]float64, elements), b: make([]float64, elements), c: make([]float64, elements)}
	for i := range g.a {
		g.a[i], g.b[i] = float64(i%97)/97, float64(i%89)/89
	}
	return g
}

// Clear sets C to zero.
func (g *Gemm) Clear() { clear(g.c) }

// Multiply adds A x B to C.
func (g *Gemm) Multiply() {
	g.product.Add(g.c, g.order, g.a, g.order, g.order, g.b, g.order, g.order, nil)
}

// GemmKernel returns the name of the gemm kernel in use on this processor.
func GemmKernel() string { return gemm.Kernel() }
