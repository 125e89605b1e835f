package programs

// Multiply sets q to the product of p with a matrix in compressed rows: the elements of row i have
// the numbers begin[i] to begin[i+1]-1, the columns col and the values val.
//
//fagus:parallel
func Multiply(q, p, val []float64, begin, col []int) {
	for i := range q {
		sum := 0.0
		for k := begin[i]; k < begin[i+1]; k++ {
			sum += val[k] * p[col[k]]
		}
		q[i] = sum
	}
}

// Dot returns the inner product of x and y.
//
//fagus:parallel
func Dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// Advance goes from x by alpha in direction p, subtracts alpha*q from the residual r, and returns
// the square of the residual.
//
//fagus:parallel
func Advance(x, r, p, q []float64, alpha float64) (rr float64) {
	for i := range x {
		x[i] += alpha * p[i]
		r[i] -= alpha * q[i]
		rr += r[i] * r[i]
	}
	return rr
}

// Turn replaces the direction p by r + beta*p.
//
//fagus:parallel
func Turn(p, r []float64, beta float64) {
	for i := range p {
		p[i] = r[i] + beta*p[i]
	}
}
