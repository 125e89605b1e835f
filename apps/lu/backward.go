package lu

import (
	"math"

	"github.com/fagus-dsm/fagus/fagus/parts"
)

// backward is the backward error, with the largest elements of the residual and of A.
func (c *Config) backward(rest, all float64) float64 {
	const eps = 0x1p-52
	e := rest / (float64(c.N) * eps * all)
	if math.IsNaN(e) {
		return math.Inf(1)
	}
	return e
}

// residual returns the largest elements of A - P'LU and of A in this rank's columns, without signs. P'LU
// has the rows in the order of A. The product begins with zero: taken from A piece by piece it would
// repeat what factoring did, with the same roundings, which would then not be seen. After each panel it asks
// whether to go on.
func (f *share) residual(broken func() error) (rest, all float64, err error) {
	if f.columns == 0 {
		return 0, 0, nil
	}
	product := make([]float64, f.N*f.columns) // -P'LU
	origin := make([]int, f.N)                // of each row, as it is swapped so far
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
		if first := f.first(k); first < f.columns { // U is zero in the columns before
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

// largest is that of x without signs, or NaN if there is one.
func largest(x []float64) (m float64) {
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

// hash is the sum of hashes of this rank's part of the factors and swaps, each with its place.
func (f *share) hash() (sum uint64) {
	for _, k := range parts.Cyclic(f.Steps(), f.ranks, f.rank) {
		panel, swapped := f.panel(k)
		place := uint64(k*f.Block) * uint64(2*f.N)
		add := func(x uint64) {
			place++
			sum += mix(x + mix(place))
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
