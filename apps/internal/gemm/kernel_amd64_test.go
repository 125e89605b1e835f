package gemm

import "golang.org/x/sys/cpu"

// kernels returns the kernels that this processor can run, by name.
func kernels() map[string]func(depth int, a, b, c []float64, ldc int) {
	all := map[string]func(depth int, a, b, c []float64, ldc int){"chosen": tile}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all["AVX2"] = tileBy256
	}
	if cpu.X86.HasAVX512F {
		all["AVX-512"] = func(depth int, a, b, c []float64, ldc int) { tile512(depth, &a[0], &b[0], &c[0], ldc) }
	}
	return all
}
