package lu

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/gemm"
)

// leaf is the size at which the recursion stops.
const leaf = 8

// factorColumns factors the columns lo to hi-1 of a panel; the columns on their left are already
// factored. Rows of the panel have width elements. It swaps whole rows, and sets pivots[j] to the
// row that row j was swapped with. It returns -1, or the first column without a pivot.
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

// factorLeaf is factorColumns without recursion, one column at a time.
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

// swap swaps rows i and j of x, up to column columns-1. Each row of x has apart elements.
func swap(x []float64, apart, i, j, columns int) {
	if i == j {
		return
	}
	a, b := x[i*apart:][:columns], x[j*apart:][:columns]
	for c := range a {
		a[c], b[c] = b[c], a[c]
	}
}

// minus computes a -= x b. The conversion prevents fused operations, which some machines lack.
func minus(a []float64, x float64, b []float64) {
	b = b[:len(a)]
	for i := range a {
		a[i] -= float64(x * b[i])
	}
}

// solve replaces u, rows x columns elements, by the solution X of L X = u. L is the unit lower
// triangle of l. Rows of l and u are ldl and ldu elements apart.
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

// subtract computes c -= L x U. L has rows x depth elements, and U depth x columns.
func subtract(c []float64, ldc int, l []float64, ldl, rows int, u []float64, ldu, depth, columns int) {
	negative := make([]float64, depth*columns)
	for i := range depth {
		to := negative[i*columns:][:columns]
		for j, x := range u[i*ldu:][:columns] {
			to[j] = -x
		}
	}
	new(gemm.Product).Add(c, ldc, l, ldl, rows, negative, depth, columns, nil)
}
