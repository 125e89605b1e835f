package lu

import (
	"math"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014): a bijection that spreads all bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// input are this rank's columns of A, whose elements are in [-1, 1): any rank can make any of them.
func (f *factors) input() []float64 {
	a := make([]float64, f.N*f.columns)
	for _, k := range parts.Cyclic(f.Steps(), f.node.Nodes(), f.node.Rank()) {
		first, width := f.first(k), f.width(k)
		for i := range f.N {
			row := a[i*f.columns+first:][:width]
			for c := range row {
				random := mix(f.Seed + uint64(i*f.N+k*f.Block+c+1)*0x9e3779b97f4a7c15)
				row[c] = float64(int64(random)>>11) / (1 << 52)
			}
		}
	}
	return a
}

// verify returns the backward error and the hash of the factors. It is collective.
func (f *factors) verify() (backward float64, bits uint64, err error) {
	n := f.node
	var wants []fagus.Request
	for _, guard := range f.guards {
		wants = append(wants, fagus.Want(guard, fagus.Shared))
	}
	var rest, all float64
	if err := n.During(n.Set(wants...), func() (err error) {
		rest, all, err = f.residual()
		bits = f.hash()
		return err
	}); err != nil {
		return 0, 0, err
	}
	largest := func(a, b float64) float64 { return max(a, b) } // NaN, if there is one
	if rest, err = fagus.Reduce(n, rest, largest); err != nil {
		return 0, 0, err
	}
	if all, err = fagus.Reduce(n, all, largest); err != nil {
		return 0, 0, err
	}
	bits, err = fagus.Reduce(n, bits, func(a, b uint64) uint64 { return a + b })
	const eps = 0x1p-52
	backward = rest / (float64(f.N) * eps * all)
	if math.IsNaN(backward) {
		backward = math.Inf(1)
	}
	return backward, bits, err
}

// residual returns the largest elements of A - P'LU and of A in this rank's columns, without signs. P'LU
// has the rows in the order of A. The product begins with zero: taken from A piece by piece it would
// repeat what factoring did, with the same roundings, which would then not be seen.
func (f *factors) residual() (rest, all float64, err error) {
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
		if err := f.node.Err(); err != nil {
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
func (f *factors) hash() (sum uint64) {
	for _, k := range parts.Cyclic(f.Steps(), f.node.Nodes(), f.node.Rank()) {
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
