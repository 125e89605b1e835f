package sor

import "math"

// board has the points of the grid, or a rank's part of them. It knows nothing of ranks.
type board struct {
	Config
	factor  float64      // of over-relaxation
	columns int          // points of one colour in a row
	points  [2][]float64 // red, whose row and column indices have an even sum, and black
}

func newBoard(cfg Config) board {
	return board{Config: cfg, factor: 2 / (1 + math.Sin(math.Pi/float64(cfg.N-1))), columns: (cfg.N + 1) / 2}
}

func (b *board) row(c, i int) []float64 { return b.points[c][i*b.columns:][:b.columns:b.columns] }
func (b *board) at(i, j int) *float64   { return &b.row((i+j)%2, i)[j/2] }

// solution returns x^2 - y^2 at row i and column j.
func (b *board) solution(i, j int) float64 { return float64(j*j-i*i) / float64((b.N-1)*(b.N-1)) }

func (b *board) fillBorder(lo, hi int) {
	last := b.N - 1
	for i := lo; i < hi; i++ {
		step := last // to the other end of the row
		if i == 0 || i == last {
			step = 1
		}
		for j := 0; j <= last; j += step {
			*b.at(i, j) = b.solution(i, j)
		}
	}
}

// relax relaxes the points of a colour in the rows lo to hi-1, which exclude the border.
func (b *board) relax(c, lo, hi int) {
	for i := lo; i < hi; i++ {
		b.relaxRow(c, i)
	}
}

// relaxRow relaxes the points of a colour in row i, whose columns are 2k+odd. The neighbours
// above and below have the same index k in the other colour. The neighbours on the left and right
// have k-1 and k, or k and k+1 if odd is 1.
func (b *board) relaxRow(c, i int) {
	odd := (i + c) % 2
	first := 1 - odd
	end := (b.N - odd) / 2 // so that 2k+odd < N-1
	row := b.row(c, i)[first:end]
	above, below := b.row(1-c, i-1)[first:][:len(row)], b.row(1-c, i+1)[first:][:len(row)]
	sides := b.row(1-c, i)
	left, right := sides[first-1+odd:][:len(row)], sides[first+odd:][:len(row)]
	keep, share := 1-b.factor, b.factor/4
	for k, x := range row {
		row[k] = keep*x + share*(above[k]+below[k]+left[k]+right[k])
	}
}

func (b *board) spoil() { *b.at(b.N-1, b.N-1) += 2 * Tolerance }

// farthest returns the largest difference from the solution in the rows lo to hi-1.
func (b *board) farthest(lo, hi int) (most float64) {
	for i := lo; i < hi; i++ {
		for j := range b.N {
			most = max(most, math.Abs(*b.at(i, j)-b.solution(i, j)))
		}
	}
	return most
}
