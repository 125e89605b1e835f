//go:build !amd64

package gemm

// Kernel says what computes here.
func Kernel() string { return "Go" }

func tile(depth int, a, b, c []float64, ldc int) { portableTile(depth, a, b, c, ldc) }
