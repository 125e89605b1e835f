package polybench

import "math"

func plainDeriche(out, in []float64, w, h int, alpha float64) {
	k := (1 - math.Exp(-alpha)) * (1 - math.Exp(-alpha)) / (1 + 2*alpha*math.Exp(-alpha) - math.Exp(2*alpha))
	a1, a2 := k, k*math.Exp(-alpha)*(alpha-1)
	a3, a4 := k*math.Exp(-alpha)*(alpha+1), -k*math.Exp(-2*alpha)
	b1, b2 := math.Pow(2, -alpha), -math.Exp(-2*alpha)
	forward, backward := make([]float64, w*h), make([]float64, w*h)
	each(0, w, func(x int) {
		y1, y2, in1 := 0.0, 0.0, 0.0
		for y := 0; y < h; y++ {
			forward[x*h+y] = a1*in[x*h+y] + a2*in1 + b1*y1 + b2*y2
			in1 = in[x*h+y]
			y1, y2 = forward[x*h+y], y1
		}
		y1, y2, in1 = 0.0, 0.0, 0.0
		in2 := 0.0
		for y := h - 1; y >= 0; y-- {
			backward[x*h+y] = a3*in1 + a4*in2 + b1*y1 + b2*y2
			in1, in2 = in[x*h+y], in1
			y1, y2 = backward[x*h+y], y1
		}
		for y := 0; y < h; y++ {
			out[x*h+y] = forward[x*h+y] + backward[x*h+y]
		}
	})
	each(0, h, func(y int) {
		y1, y2, out1 := 0.0, 0.0, 0.0
		for x := 0; x < w; x++ {
			forward[x*h+y] = a1*out[x*h+y] + a2*out1 + b1*y1 + b2*y2
			out1 = out[x*h+y]
			y1, y2 = forward[x*h+y], y1
		}
		y1, y2, out1 = 0.0, 0.0, 0.0
		out2 := 0.0
		for x := w - 1; x >= 0; x-- {
			backward[x*h+y] = a3*out1 + a4*out2 + b1*y1 + b2*y2
			out1, out2 = out[x*h+y], out1
			y1, y2 = backward[x*h+y], y1
		}
	})
	each(0, w, func(x int) {
		for y := 0; y < h; y++ {
			out[x*h+y] = forward[x*h+y] + backward[x*h+y]
		}
	})
}

// plainFloydWarshall omits i == k: the distance of k to itself is positive, so that row k does
// not change.
func plainFloydWarshall(path []int, n int) {
	for k := range n {
		each(0, n, func(i int) {
			if i == k {
				return
			}
			for j := range n {
				path[i*n+j] = min(path[i*n+j], path[i*n+k]+path[k*n+j])
			}
		})
	}
}

func plainAdi(u []float64, n, steps int) {
	v, p, q := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	dx, dt := 1/float64(n), 1/float64(steps)
	mul1, mul2 := 2*dt/(dx*dx), dt/(dx*dx)
	a, b := -mul1/2, 1+mul1
	d, e := -mul2/2, 1+mul2
	for range steps {
		each(1, n-1, func(i int) {
			v[i] = 1
			p[i*n], q[i*n] = 0, v[i]
			for j := 1; j < n-1; j++ {
				p[i*n+j] = -a / (a*p[i*n+j-1] + b)
				q[i*n+j] = (-d*u[j*n+i-1] + (1+2*d)*u[j*n+i] - d*u[j*n+i+1] - a*q[i*n+j-1]) / (a*p[i*n+j-1] + b)
			}
			v[(n-1)*n+i] = 1
			for j := n - 2; j >= 1; j-- {
				v[j*n+i] = p[i*n+j]*v[(j+1)*n+i] + q[i*n+j]
			}
		})
		each(1, n-1, func(i int) {
			u[i*n] = 1
			p[i*n], q[i*n] = 0, u[i*n]
			for j := 1; j < n-1; j++ {
				p[i*n+j] = -d / (d*p[i*n+j-1] + e)
				q[i*n+j] = (-a*v[(i-1)*n+j] + (1+2*a)*v[i*n+j] - a*v[(i+1)*n+j] - d*q[i*n+j-1]) / (d*p[i*n+j-1] + e)
			}
			u[i*n+n-1] = 1
			for j := n - 2; j >= 1; j-- {
				u[i*n+j] = p[i*n+j]*u[i*n+j+1] + q[i*n+j]
			}
		})
	}
}

func plainFDTD2D(ex, ey, hz, fict []float64, nx, ny, steps int) {
	for t := range steps {
		each(0, nx, func(i int) {
			for j := 0; j < ny && i == 0; j++ {
				ey[j] = fict[t]
			}
			for j := 0; j < ny && i > 0; j++ {
				ey[i*ny+j] -= 0.5 * (hz[i*ny+j] - hz[(i-1)*ny+j])
			}
			for j := 1; j < ny; j++ {
				ex[i*ny+j] -= 0.5 * (hz[i*ny+j] - hz[i*ny+j-1])
			}
		})
		each(0, nx-1, func(i int) {
			for j := 0; j < ny-1; j++ {
				hz[i*ny+j] -= 0.7 * (ex[i*ny+j+1] - ex[i*ny+j] + ey[(i+1)*ny+j] - ey[i*ny+j])
			}
		})
	}
}

// plainHeat computes plane i of a time step from a to b.
func plainHeat(a, b []float64, n, i int) {
	for j := 1; j < n-1; j++ {
		for k := 1; k < n-1; k++ {
			b[(i*n+j)*n+k] = a[(i*n+j)*n+k] +
				0.125*(a[((i+1)*n+j)*n+k]-2*a[(i*n+j)*n+k]+a[((i-1)*n+j)*n+k]) +
				0.125*(a[(i*n+j+1)*n+k]-2*a[(i*n+j)*n+k]+a[(i*n+j-1)*n+k]) +
				0.125*(a[(i*n+j)*n+k+1]-2*a[(i*n+j)*n+k]+a[(i*n+j)*n+k-1])
		}
	}
}

func plainHeat3D(a, b []float64, n, steps int) {
	for range steps {
		each(1, n-1, func(i int) { plainHeat(a, b, n, i) })
		each(1, n-1, func(i int) { plainHeat(b, a, n, i) })
	}
}

func plainJacobi1D(a, b []float64, n, steps int) {
	for range steps {
		halves(1, n-1, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				b[i] = 0.33333 * (a[i-1] + a[i] + a[i+1])
			}
		})
		halves(1, n-1, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				a[i] = 0.33333 * (b[i-1] + b[i] + b[i+1])
			}
		})
	}
}

func plainJacobi2D(a, b []float64, n, steps int) {
	for range steps {
		each(1, n-1, func(i int) {
			for j := 1; j < n-1; j++ {
				b[i*n+j] = 0.2 * (a[i*n+j] + a[i*n+j-1] + a[i*n+j+1] + a[(i+1)*n+j] + a[(i-1)*n+j])
			}
		})
		each(1, n-1, func(i int) {
			for j := 1; j < n-1; j++ {
				a[i*n+j] = 0.2 * (b[i*n+j] + b[i*n+j-1] + b[i*n+j+1] + b[(i+1)*n+j] + b[(i-1)*n+j])
			}
		})
	}
}
