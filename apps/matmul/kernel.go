package matmul

// Float is the element type of a matrix.
type Float interface{ float32 | float64 }

// A panel of B has at most kPanel x nPanel elements: 512 KiB of float64, half of the L2 cache of
// the measured processors. So it stays there while all rows of C pass. kPanel is a multiple of 4,
// the depth of a tile.
const (
	kPanel = 64
	nPanel = 1024
)

// multiply adds A*B to the given rows of C. A is m x k, B is k x n and C is m x n, all row-major
// without gaps. The rows are distinct, from 0 to m-1, in any order; other rows of A and C are
// neither read nor written.
//
// Each element of C is computed by c = c + T(a*b), for the inner index from 0 to k-1 in order,
// with one rounding for the product and one for the sum. Panels and tiles do not change this
// order. So the bits equal those of three plain loops, whatever the rows and whichever rank
// computes them. The conversion prevents a fused multiply-add (Go specification, "Floating-point
// operators"), by which arm64, and amd64 with GOAMD64=v3, would produce other bits.
func multiply[T Float](c, a, b []T, k, n int, rows []int) {
	for j := 0; j < n; j += nPanel {
		end := min(j+nPanel, n)
		for l := 0; l < k; l += kPanel {
			multiplyPanel(c, a, b, k, n, rows, j, end, l, min(l+kPanel, k))
		}
	}
}

// multiplyPanel handles the columns j to end-1 of C and the inner indices l to last-1, two rows
// at a time: eight elements of A, two of C, one of B and a product fill the registers. An odd row
// comes last.
func multiplyPanel[T Float](c, a, b []T, k, n int, rows []int, j, end, l, last int) {
	for ; len(rows) >= 2; rows = rows[2:] {
		i, h := rows[0], rows[1]
		c0, c1 := c[i*n+j:i*n+end], c[h*n+j:h*n+end]
		a0, a1 := a[i*k+l:i*k+last], a[h*k+l:h*k+last]
		p := l * n
		for ; len(a0) >= 4; a0, a1, p = a0[4:], a1[4:], p+4*n {
			pairBy4(c0, c1, a0, a1, b[p+j:p+end], b[p+n+j:p+n+end], b[p+2*n+j:p+2*n+end], b[p+3*n+j:p+3*n+end])
		}
		for r := range a0 {
			rowBy1(c0, a0[r], b[p+j:p+end])
			rowBy1(c1, a1[r], b[p+j:p+end])
			p += n
		}
	}
	for _, i := range rows {
		c0, a0 := c[i*n+j:i*n+end], a[i*k+l:i*k+last]
		p := l * n
		for ; len(a0) >= 4; a0, p = a0[4:], p+4*n {
			rowBy4(c0, a0, b[p+j:p+end], b[p+n+j:p+n+end], b[p+2*n+j:p+2*n+end], b[p+3*n+j:p+3*n+end])
		}
		for _, x := range a0 {
			rowBy1(c0, x, b[p+j:p+end])
			p += n
		}
	}
}

// pairBy4 adds the product of a 2 x 4 tile of A and four rows of B to two rows of C. Two columns
// an iteration halve the overhead of the loop; four columns gain nothing more.
func pairBy4[T Float](c0, c1, a0, a1, b0, b1, b2, b3 []T) {
	x0, x1, x2, x3 := a0[0], a0[1], a0[2], a0[3]
	y0, y1, y2, y3 := a1[0], a1[1], a1[2], a1[3]
	// Equal lengths let the compiler drop the bounds checks in the loop.
	c1, b0, b1, b2, b3 = c1[:len(c0)], b0[:len(c0)], b1[:len(c0)], b2[:len(c0)], b3[:len(c0)]
	j := 1
	for ; j < len(c0); j += 2 {
		s, t, b := c0[j-1], c1[j-1], b0[j-1]
		s += T(x0 * b)
		t += T(y0 * b)
		b = b1[j-1]
		s += T(x1 * b)
		t += T(y1 * b)
		b = b2[j-1]
		s += T(x2 * b)
		t += T(y2 * b)
		b = b3[j-1]
		s += T(x3 * b)
		t += T(y3 * b)
		c0[j-1], c1[j-1] = s, t

		s, t, b = c0[j], c1[j], b0[j]
		s += T(x0 * b)
		t += T(y0 * b)
		b = b1[j]
		s += T(x1 * b)
		t += T(y1 * b)
		b = b2[j]
		s += T(x2 * b)
		t += T(y2 * b)
		b = b3[j]
		s += T(x3 * b)
		t += T(y3 * b)
		c0[j], c1[j] = s, t
	}
	if j--; j < len(c0) { // an odd last column
		c0[j] = c0[j] + T(x0*b0[j]) + T(x1*b1[j]) + T(x2*b2[j]) + T(x3*b3[j])
		c1[j] = c1[j] + T(y0*b0[j]) + T(y1*b1[j]) + T(y2*b2[j]) + T(y3*b3[j])
	}
}

func rowBy4[T Float](c, a, b0, b1, b2, b3 []T) {
	x0, x1, x2, x3 := a[0], a[1], a[2], a[3]
	b0, b1, b2, b3 = b0[:len(c)], b1[:len(c)], b2[:len(c)], b3[:len(c)]
	for j := range c {
		c[j] = c[j] + T(x0*b0[j]) + T(x1*b1[j]) + T(x2*b2[j]) + T(x3*b3[j])
	}
}

func rowBy1[T Float](c []T, x T, b []T) {
	b = b[:len(c)]
	for j := range c {
		c[j] += T(x * b[j])
	}
}
