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

// sparse is a block of rows of a sparse matrix in compressed form: row i has the elements
// ends[i-1] to ends[i]-1.
type sparse struct {
	ends    []int
	columns []int32
	values  []float64
}

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
	m := &sparse{}
	sum, has := make([]float64, p.rows), make([]bool, p.rows) // of the row under construction
	for r, fs := range factors {
		begin := len(m.columns)
		for _, f := range fs {
			for _, e := range vectors[f.vector] {
				value := e.value * f.scale
				if f.vector == lo+r && int(e.at) == lo+r {
					value = value + rcond - p.shift
				}
				if !has[e.at] {
					has[e.at] = true
					m.columns = append(m.columns, e.at)
				}
				sum[e.at] += value
			}
		}
		slices.Sort(m.columns[begin:])
		for _, c := range m.columns[begin:] {
			m.values = append(m.values, sum[c])
			sum[c], has[c] = 0, false
		}
		m.ends = append(m.ends, len(m.columns))
	}
	return m
}

func (m *sparse) times(v, product []float64) {
	begin := 0
	for i, end := range m.ends {
		columns := m.columns[begin:end]
		values := m.values[begin:end][:len(columns)]
		even, odd := 0.0, 0.0 // two independent sums: an addition waits for the one before it
		k := 1
		for ; k < len(columns); k += 2 {
			even += values[k-1] * v[columns[k-1]]
			odd += values[k] * v[columns[k]]
		}
		if k == len(columns) {
			even += values[k-1] * v[columns[k-1]]
		}
		product[i] = even + odd
		begin = end
	}
}
