package sor

import "math"

// board are the points, or as many of them as a rank has. It knows nothing of other ranks.
type board struct {
	Config
	factor  float64      // of over-relaxation
	columns int          // of a colour
	points  [2][]float64 // red: those whose row and column add up to an even number; and black
}

// newBoard is one without points.
func newBoard(cfg Config) board {
	return board{Config: cfg, factor: 2 / (1 + math.Sin(math.Pi/float64(cfg.N-1))), columns: (cfg.N + 1) / 2}
}

// row is row i of a colour.
func (b *board) row(c, i int) []float64 { return b.points[c][i*b.columns:][:b.columns:b.columns] }

// at is where the point of row i and column j is.
func (b *board) at(i, j int) *float64 { return &b.row((i+j)%2, i)[j/2] }

// solution is x^2 - y^2 at row i and column j.
func (b *board) solution(i, j int) float64 {
	return float64(j*j-i*i) / float64((b.N-1)*(b.N-1))
}

// fillBorder gives the border its values in rows lo up to but not including hi.
func (b *board) fillBorder(lo, hi int) {
	last := b.N - 1
	for i := lo; i < hi; i++ {
		step := last // to the other end
		if i == 0 || i == last {
			step = 1
		}
		for j := 0; j <= last; j += step {
			*b.at(i, j) = b.solution(i, j)
		}
	}
}

// relax changes the points of a colour in rows lo up to but not including hi, of which none is the border.
func (b *board) relax(c, lo, hi int) {
	for i := lo; i < hi; i++ {
		b.relaxRow(c, i)
	}
}

// relaxRow changes points 2k+odd of row i. Those above and below have the same k in the other colour; the
// neighbours at the sides have k-1 and k, or k and k+1 if odd.
func (b *board) relaxRow(c, i int) {
	odd := (i + c) % 2
	first := 1 - odd
	end := (b.N - odd) / 2 // 2k+odd is less than N-1
	row := b.row(c, i)[first:end]
	above, below := b.row(1-c, i-1)[first:][:len(row)], b.row(1-c, i+1)[first:][:len(row)]
	sides := b.row(1-c, i)
	left, right := sides[first-1+odd:][:len(row)], sides[first+odd:][:len(row)]
	keep, share := 1-b.factor, b.factor/4
	for k, x := range row {
		row[k] = keep*x + share*(above[k]+below[k]+left[k]+right[k])
	}
}

// spoil makes the last point wrong.
func (b *board) spoil() { *b.at(b.N-1, b.N-1) += 2 * Tolerance }

// farthest is the largest difference to the solution in rows lo up to but not including hi.
func (b *board) farthest(lo, hi int) (most float64) {
	for i := lo; i < hi; i++ {
		for j := range b.N {
			most = max(most, math.Abs(*b.at(i, j)-b.solution(i, j)))
		}
	}
	return most
}
