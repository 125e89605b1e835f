package lu

import (
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// backward returns the backward error. rest and all are the results of residual, for all ranks.
func (c *Config) backward(rest, all float64) float64 {
	const eps = 0x1p-52
	e := rest / (float64(c.N) * eps * all)
	if math.IsNaN(e) {
		return math.Inf(1)
	}
	return e
}

// residual returns the largest magnitudes in this rank's columns of A - P'LU and of A. P' puts
// the rows back into the order of A. The product is accumulated from zero: subtracting it from A
// panel by panel would repeat the operations of the factorization, with the same roundings, and
// hide its errors. broken is called after each panel; residual stops if it returns an error.
func (f *share) residual(broken func() error) (rest, all float64, err error) {
	if f.columns == 0 {
		return 0, 0, nil
	}
	product := make([]float64, f.N*f.columns) // -P'LU
	origin := make([]int, f.N)                // by row: its index in A, after the swaps so far
	for i := range origin {
		origin[i] = i
	}
	l := make([]float64, f.N*f.Block)
	for k := range f.Steps() {
		if err := broken(); err != nil {
			return 0, 0, err
		}
		panel, swapped := f.panel(k)
		row, width := k*f.Block, f.width(k)
		for i, with := range swapped {
			origin[row+i], origin[with] = origin[with], origin[row+i]
		}
		clear(l)
		for i, to := range origin[row:] {
			below := l[to*width:][:width]
			copy(below[:min(i, width)], panel[i*width:])
			if i < width {
				below[i] = 1
			}
		}
		if first := f.first(k); first < f.columns { // U is zero in the columns before first
			subtract(product[first:], f.columns, l, width, f.N, f.mine[row*f.columns+first:], f.columns, width, f.columns-first)
		}
	}
	a := f.input()
	all = largest(a)
	for i, x := range a {
		product[i] += x
	}
	return largest(product), all, nil
}

func largest(x []float64) (m float64) {
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

// hash returns the sum of the hashes of this rank's factors and swaps, each with its position.
func (f *share) hash() (sum uint64) {
	for _, k := range parts.Cyclic(f.Steps(), f.ranks, f.rank) {
		panel, swapped := f.panel(k)
		position := uint64(k*f.Block) * uint64(2*f.N)
		add := func(x uint64) {
			position++
			sum += verify.Mix(x + verify.Mix(position))
		}
		for _, with := range swapped {
			add(uint64(with))
		}
		for _, x := range panel {
			add(math.Float64bits(x))
		}
		first, width := f.first(k), f.width(k)
		for i := range k * f.Block {
			for _, x := range f.mine[i*f.columns+first:][:width] {
				add(math.Float64bits(x))
			}
		}
	}
	return sum
}
