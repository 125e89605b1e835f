package cg

import (
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/npb"
)

const (
	seed  = 314159265
	rcond = 0.1 // roughly the smallest eigenvalue divided by the largest, before the shift
)

type element struct {
	at    int32
	value float64
}

// vectors returns the sparse vectors from which the matrix is made. Each has nonzer random
// elements, and 0.5 at its own index (NPB's sprnvc and vecset).
func (p *problem) vectors() [][]element {
	random := npb.Random(seed).Skip(1) // NPB discards the first number
	positions := 1
	for positions < p.rows {
		positions *= 2
	}
	all := make([][]element, p.rows)
	for i := range all {
		v := make([]element, 0, p.nonzer+1)
		for len(v) < p.nonzer {
			value := random.Next()
			at := int32(float64(positions) * random.Next())
			if int(at) < p.rows && find(v, at) < 0 {
				v = append(v, element{at, value})
			}
		}
		if own := find(v, int32(i)); own >= 0 {
			v[own].value = 0.5
		} else {
			v = append(v, element{int32(i), 0.5})
		}
		all[i] = v
	}
	return all
}

func find(v []element, at int32) int {
	return slices.IndexFunc(v, func(e element) bool { return e.at == at })
}

// sparse is a block of rows of a sparse matrix, cut into blocks of blockWidth columns.
type sparse struct {
	rows   int
	blocks []block
}

// block has its elements in compressed form: row i has the elements ends[i-1] to ends[i]-1. Columns
// count from the first one of the block. Products are limited by memory: with columns of 4 bytes
// class A takes a third longer on a Zen 5.
type block struct {
	ends    []int
	columns []uint16
	values  []float64
}

const blockWidth = 1 << 16

// matrix returns the rows lo to hi-1 of
//
//	sum over i of size^i x_i x_i^T + (rcond - shift) identity
//
// where the x_i are the vectors and size^rows is rcond.
func (p *problem) matrix(lo, hi int) *sparse {
	type factor struct {
		vector int
		scale  float64
	}
	vectors := p.vectors()
	factors := make([][]factor, hi-lo) // by row: the vectors that contribute to it
	size, ratio := 1.0, math.Pow(rcond, 1/float64(p.rows))
	for i, v := range vectors {
		for _, e := range v {
			if row := int(e.at); lo <= row && row < hi {
				factors[row-lo] = append(factors[row-lo], factor{i, size * e.value})
			}
		}
		size *= ratio
	}
	m := &sparse{hi - lo, make([]block, (p.rows+blockWidth-1)/blockWidth)}
	sum, has := make([]float64, p.rows), make([]bool, p.rows) // of the row under construction
	var columns []int32                                       // of it
	for r, fs := range factors {
		columns = columns[:0]
		for _, f := range fs {
			for _, e := range vectors[f.vector] {
				value := e.value * f.scale
				if f.vector == lo+r && int(e.at) == lo+r {
					value = value + rcond - p.shift
				}
				if !has[e.at] {
					has[e.at] = true
					columns = append(columns, e.at)
				}
				sum[e.at] += value
			}
		}
		slices.Sort(columns)
		for _, c := range columns {
			b := &m.blocks[c/blockWidth]
			b.columns, b.values = append(b.columns, uint16(c%blockWidth)), append(b.values, sum[c])
			sum[c], has[c] = 0, false
		}
		for i := range m.blocks {
			m.blocks[i].ends = append(m.blocks[i].ends, len(m.blocks[i].columns))
		}
	}
	return m
}

// elements returns how many elements the matrix has.
func (m *sparse) elements() (n int) {
	for _, b := range m.blocks {
		n += len(b.values)
	}
	return n
}

// spoil makes the last element wrong.
func (m *sparse) spoil() {
	last := m.blocks[len(m.blocks)-1].values
	last[len(last)-1]++
}

func (m *sparse) times(v, product []float64) {
	clear(product)
	for i := range m.blocks {
		m.blocks[i].times(v[i*blockWidth:], product)
	}
}

// times adds the product of the block and its part of a vector.
func (b *block) times(v, product []float64) {
	begin := 0
	for i, end := range b.ends {
		columns := b.columns[begin:end]
		values := b.values[begin:end][:len(columns)]
		even, odd := 0.0, 0.0 // two independent sums: an addition waits for the one before it
		k := 1
		for ; k < len(columns); k += 2 {
			even += values[k-1] * v[columns[k-1]]
			odd += values[k] * v[columns[k]]
		}
		if k == len(columns) {
			even += values[k-1] * v[columns[k-1]]
		}
		product[i] += even + odd
		begin = end
	}
}
