package bench

// panel is the number of rows of B that stay in a cache while rows of A pass; a multiple of 4.
const panel = 64

// multiply computes C = A x B, where B is n x n, and A and C have n columns. It is the kernel of
// bench/peers/kernel.c in Go: comparisons must not depend on the speed of kernels.
func multiply(c, a, b []float64, n int) {
	clear(c)
	for l := 0; l < n; l += panel {
		last := min(l+panel, n)
		for i := 0; i < len(a); i += n {
			row, k := c[i:i+n], l
			for ; k+4 <= last; k += 4 {
				x0, x1, x2, x3 := a[i+k], a[i+k+1], a[i+k+2], a[i+k+3]
				b0, b1, b2, b3 := b[k*n:(k+1)*n], b[(k+1)*n:(k+2)*n], b[(k+2)*n:(k+3)*n], b[(k+3)*n:(k+4)*n]
				b0, b1, b2, b3 = b0[:len(row)], b1[:len(row)], b2[:len(row)], b3[:len(row)]
				for j := range row {
					row[j] = row[j] + x0*b0[j] + x1*b1[j] + x2*b2[j] + x3*b3[j]
				}
			}
			for ; k < last; k++ {
				for j, y := range b[k*n : (k+1)*n] {
					row[j] += a[i+k] * y
				}
			}
		}
	}
}
