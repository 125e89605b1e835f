package gemm

import "golang.org/x/sys/cpu"

// Kernel names the kernel in use on this processor.
func Kernel() string {
	switch {
	case cpu.X86.HasAVX512F:
		return "AVX-512"
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return "AVX2"
	}
	return "Go"
}

// tile adds the product of a, a panel of tileRows rows, and b, a panel of tileColumns columns, to
// a tile of c. The rows of c are ldc elements apart.
func tile(depth int, a, b, c []float64, ldc int) {
	a, b, _ = a[:depth*tileRows], b[:depth*tileColumns], c[:(tileRows-1)*ldc+tileColumns]
	switch {
	case cpu.X86.HasAVX512F:
		tile512(depth, &a[0], &b[0], &c[0], ldc)
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		tileBy256(depth, a, b, c, ldc)
	default:
		portableTile(depth, a, b, c, ldc)
	}
}

//go:noescape
func tile512(depth int, a, b, c *float64, ldc int)

// chunk256 is a depth at which a panel of A and a panel of B stay in an L1 cache of 32 KiB: they
// take 18 KiB. tile256 reads the latter three times.
const chunk256 = 96

// tileBy256 is tile by tile256. It keeps the tile beside the panels: the rows of a large C may all
// belong to one set of the cache.
func tileBy256(depth int, a, b, c []float64, ldc int) {
	var sums [tileRows * tileColumns]float64
	for r := range tileRows {
		copy(sums[r*tileColumns:][:tileColumns], c[r*ldc:])
	}
	for k := 0; k < depth; k += chunk256 {
		tile256(min(chunk256, depth-k), &a[k*tileRows], &b[k*tileColumns], &sums[0], tileColumns)
	}
	for r := range tileRows {
		copy(c[r*ldc:], sums[r*tileColumns:][:tileColumns])
	}
}

// tile256 computes the same as tile512.
//
//go:noescape
func tile256(depth int, a, b, c *float64, ldc int)
