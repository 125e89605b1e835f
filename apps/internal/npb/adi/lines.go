package adi

// Quad is a number for each of four lines of points that are solved at once.
type Quad [4]float64

// Solver solves the systems of lines of points. It belongs to one rank.
type Solver interface {
	// Order returns the order of the components in a direction: 0, 1, 2 for x, y, z.
	Order(direction int) [components]int
	// Solve solves four lines in a direction. It gets the unknowns u and the right side r of their
	// inner points, and overwrites r with the solution. That of the ends is zero.
	Solve(direction int, u, r [][components]Quad)
}

// batch has the unknowns and right sides of four lines, and the rows that they lie in.
type batch struct {
	n        int
	u, r     [][components]Quad // of the inner points
	from, to [][]float64        // rows by point of a line that crosses rows
	spare    []float64          // a row for what is not needed
}

func newBatch(n int) *batch {
	line := func() [][components]Quad { return make([][components]Quad, n-2) }
	return &batch{n, line(), line(), make([][]float64, n), make([][]float64, n), make([]float64, rowLength(n, components))}
}

// along gathers the inner points of four rows.
func (b *batch) along(to [][components]Quad, rows *[4][]float64, order *[components]int) {
	for m, from := range order {
		along(to, m, b.inner(rows, from))
	}
}

// backAlong stores r in the inner points of rows first to 3.
func (b *batch) backAlong(rows *[4][]float64, first int, order *[components]int) {
	for i := range first {
		rows[i] = b.spare
	}
	for m, to := range order {
		backAlong(b.inner(rows, to), b.r, m)
	}
}

func (b *batch) inner(rows *[4][]float64, m int) *[4][]float64 {
	at := m*b.n + 1
	return &[4][]float64{rows[0][at:], rows[1][at:], rows[2][at:], rows[3][at:]}
}

// across gathers the four points from x on in the inner rows.
func (b *batch) across(to [][components]Quad, rows [][]float64, x int, order *[components]int) {
	rows = rows[1:][:len(to)]
	for i := range to {
		row, point := rows[i], &to[i]
		for m, from := range order {
			point[m] = Quad(row[from*b.n+x:])
		}
	}
}

// storeAcross stores r in the four points from x on in the inner rows, but for the points before
// number first.
func (b *batch) storeAcross(rows [][]float64, x, first int, order *[components]int) {
	rows = rows[1:][:len(b.r)]
	for i := range b.r {
		row, point := rows[i], &b.r[i]
		for m, to := range order {
			four := (*Quad)(row[to*b.n+x:])
			if first == 0 {
				*four = point[m]
				continue
			}
			copy(four[first:], point[m][first:])
		}
	}
}

// addAcross adds r there.
func (b *batch) addAcross(rows [][]float64, x, first int, order *[components]int) {
	rows = rows[1:][:len(b.r)]
	for i := range b.r {
		row, point := rows[i], &b.r[i]
		for m, to := range order {
			four := (*Quad)(row[to*b.n+x:])
			for k := first; k < 4; k++ {
				four[k] += point[m][k]
			}
		}
	}
}
