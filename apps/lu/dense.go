package lu

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/gemm"
)

// leaf is how many columns or rows are not halved any more.
const leaf = 8

// factorColumns factors the columns from lo up to but not including hi of a panel, whose rows are as
// wide as it is, and on whose left all is done. It swaps whole rows, and says in pivots with which. It
// returns -1, or the first column that has no pivot.
func factorColumns(panel []float64, width, lo, hi int, pivots []int) int {
	if hi-lo <= leaf {
		return factorLeaf(panel, width, lo, hi, pivots)
	}
	rows, middle := len(panel)/width, (lo+hi)/2
	if column := factorColumns(panel, width, lo, middle, pivots); column >= 0 {
		return column
	}
	right := panel[lo*width+middle:]
	solve(panel[lo*width+lo:], width, right, width, middle-lo, hi-middle)
	subtract(panel[middle*width+middle:], width, panel[middle*width+lo:], width, rows-middle, right, width, middle-lo, hi-middle)
	return factorColumns(panel, width, middle, hi, pivots)
}

// factorLeaf is factorColumns, a column at a time.
func factorLeaf(panel []float64, width, lo, hi int, pivots []int) int {
	rows := len(panel) / width
	for j := lo; j < hi; j++ {
		best := j
		for i := j + 1; i < rows; i++ {
			if math.Abs(panel[i*width+j]) > math.Abs(panel[best*width+j]) {
				best = i
			}
		}
		if panel[best*width+j] == 0 {
			return j
		}
		pivots[j] = best
		swap(panel, width, j, best, width)
		top := panel[j*width+j : j*width+hi]
		for i := j + 1; i < rows; i++ {
			row := panel[i*width+j : i*width+hi]
			row[0] /= top[0]
			minus(row[1:], row[0], top[1:])
		}
	}
	return -1
}

// swap swaps columns elements of rows i and j of x, which are apart elements from each other.
func swap(x []float64, apart, i, j, columns int) {
	if i == j {
		return
	}
	a, b := x[i*apart:][:columns], x[j*apart:][:columns]
	for c := range a {
		a[c], b[c] = b[c], a[c]
	}
}

// minus subtracts x times b from a. The conversion forbids a fused operation, which not every machine has.
func minus(a []float64, x float64, b []float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] -= float64(x * b[i])
	}
}

// solve makes of u, rows of columns elements, the x of which L x is u: L is the unit lower triangle of l. Rows
// are ldl and ldu elements apart.
func solve(l []float64, ldl int, u []float64, ldu, rows, columns int) {
	if rows > leaf {
		half := rows / 2
		solve(l, ldl, u, ldu, half, columns)
		subtract(u[half*ldu:], ldu, l[half*ldl:], ldl, rows-half, u, ldu, half, columns)
		solve(l[half*ldl+half:], ldl, u[half*ldu:], ldu, rows-half, columns)
		return
	}
	for i := 1; i < rows; i++ {
		for j := range i {
			minus(u[i*ldu:][:columns], l[i*ldl+j], u[j*ldu:])
		}
	}
}

// subtract subtracts L x U from c: L has rows of depth elements, U depth rows of columns elements.
func subtract(c []float64, ldc int, l []float64, ldl, rows int, u []float64, ldu, depth, columns int) {
	negative := make([]float64, depth*columns)
	for i := range depth {
		to := negative[i*columns:][:columns]
		for j, x := range u[i*ldu:][:columns] {
			to[j] = -x
		}
	}
	gemm.Pack(negative, depth, columns).AddTo(c, ldc, l, ldl, rows)
}
