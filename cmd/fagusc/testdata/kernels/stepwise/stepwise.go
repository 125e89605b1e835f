package stepwise

// Sweep writes to the interior of the n x n grid to the mean of four neighbours in the grid from.
//
//fagus:parallel
func Sweep(to, from []float64, n int) {
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			to[i*n+j] = 0.25 * (from[(i-1)*n+j] + from[(i+1)*n+j] + from[i*n+j-1] + from[i*n+j+1])
		}
	}
}

// Sweeps makes 2*steps sweeps from a to b and back.
//
//fagus:parallel
func Sweeps(a, b []float64, n, steps int) {
	for range steps {
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				b[i*n+j] = 0.25 * (a[(i-1)*n+j] + a[(i+1)*n+j] + a[i*n+j-1] + a[i*n+j+1])
			}
		}
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				a[i*n+j] = 0.25 * (b[(i-1)*n+j] + b[(i+1)*n+j] + b[i*n+j-1] + b[i*n+j+1])
			}
		}
	}
}

// Apply writes the discrete Laplace operator of p to the interior of q.
//
//fagus:parallel
func Apply(q, p []float64, n int) {
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			q[i*n+j] = 4*p[i*n+j] - p[(i-1)*n+j] - p[(i+1)*n+j] - p[i*n+j-1] - p[i*n+j+1]
		}
	}
}

// Dot returns the inner product of the interiors of x and y.
//
//fagus:parallel
func Dot(x, y []float64, n int) (sum float64) {
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			sum += x[i*n+j] * y[i*n+j]
		}
	}
	return sum
}

// Add adds c*y to the interior of x.
//
//fagus:parallel
func Add(x, y []float64, c float64, n int) {
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			x[i*n+j] += c * y[i*n+j]
		}
	}
}

// Turn replaces the interior of p by r + c*p.
//
//fagus:parallel
func Turn(p, r []float64, c float64, n int) {
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			p[i*n+j] = r[i*n+j] + c*p[i*n+j]
		}
	}
}

// Gradients makes steps of the conjugate gradient method for the Laplace operator. r is the
// residual of x, and p the direction, at first the same. q holds intermediate values.
//
//fagus:parallel
func Gradients(x, r, p, q []float64, n, steps int) (rr float64) {
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			rr += r[i*n+j] * r[i*n+j]
		}
	}
	for range steps {
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				q[i*n+j] = 4*p[i*n+j] - p[(i-1)*n+j] - p[(i+1)*n+j] - p[i*n+j-1] - p[i*n+j+1]
			}
		}
		pq := 0.0
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				pq += p[i*n+j] * q[i*n+j]
			}
		}
		alpha := rr / pq
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				x[i*n+j] += alpha * p[i*n+j]
			}
		}
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				r[i*n+j] += -alpha * q[i*n+j]
			}
		}
		before := rr
		rr = 0.0
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				rr += r[i*n+j] * r[i*n+j]
			}
		}
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				p[i*n+j] = r[i*n+j] + rr/before*p[i*n+j]
			}
		}
	}
	return rr
}
