//go:build !amd64

package gemm

// Kernel names the kernel in use on this processor.
func Kernel() string { return "Go" }

func tile(depth int, a, b, c []float64, ldc int) { portableTile(depth, a, b, c, ldc) }
