package kernels

import "math"

// Jacobi smooths the interior of the n x n grid a in 2*steps sweeps; b holds intermediate values
// and has the same border as a.
//
//fagus:parallel
func Jacobi(a, b []float64, n, steps int) {
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

// SOR relaxes the interior of an n x n grid, red and black points in turn, until a sweep changes
// no point by more than limit; the parameter most bounds the number of sweeps. It returns the
// number of sweeps and the largest change in the last sweep.
//
//fagus:parallel
func SOR(u []float64, n int, omega, limit float64, most int) (sweeps int, change float64) {
	change = math.Inf(1)
	for sweeps < most && change > limit {
		change = 0
		for colour := 0; colour < 2; colour++ {
			for i := 1; i < n-1; i++ {
				for j := 1 + (i+colour)%2; j < n-1; j += 2 {
					d := omega * (0.25*(u[(i-1)*n+j]+u[(i+1)*n+j]+u[i*n+j-1]+u[i*n+j+1]) - u[i*n+j])
					u[i*n+j] += d
					change = max(change, math.Abs(d))
				}
			}
		}
		sweeps++
	}
	return sweeps, change
}

// Heat computes one step of the heat equation on a grid of nx x ny x nz points.
//
//fagus:parallel
func Heat(to, from []float64, nx, ny, nz int, c float64) {
	for x := 1; x < nx-1; x++ {
		for y := 1; y < ny-1; y++ {
			for z := 1; z < nz-1; z++ {
				i := (x*ny+y)*nz + z
				to[i] = from[i] + c*(from[i-ny*nz]+from[i+ny*nz]+from[i-nz]+from[i+nz]+from[i-1]+from[i+1]-6*from[i])
			}
		}
	}
}
