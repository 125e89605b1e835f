package polybench

// Adi computes steps time steps of the heat equation on the n x n grid u, whose border is 1
// after the first step, by alternating direction implicit integration: in every half step it
// solves a tridiagonal system for each column, then for each row.
//
//fagus:parallel
func Adi(u []float64, n, steps int) {
	v, p, q := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	dx, dt := 1/float64(n), 1/float64(steps)
	mul1, mul2 := 2*dt/(dx*dx), dt/(dx*dx)
	a, b := -mul1/2, 1+mul1
	d, e := -mul2/2, 1+mul2
	for range steps {
		for i := 1; i < n-1; i++ {
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
		}
		for i := 1; i < n-1; i++ {
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
		}
	}
}
