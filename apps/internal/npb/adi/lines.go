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

// batch has the unknowns and right sides of the inner points of four lines.
type batch struct {
	n     int
	u, r  [][components]Quad
	spare []float64 // a row for what is not needed
}

func newBatch(n int) *batch {
	line := func() [][components]Quad { return make([][components]Quad, n-2) }
	return &batch{n, line(), line(), make([]float64, rowLength(n, components))}
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

// crossing are rows that lines cross: their numbers from the first inner row on, and the distance
// of two rows.
type crossing struct {
	numbers []float64
	stride  int
}

// places returns where a row has the components of point x.
func (b *batch) places(x int, order *[components]int) (places [components]int) {
	for m, from := range order {
		places[m] = from*b.n + x
	}
	return places
}

// across gathers the four points from x on.
func (b *batch) across(to [][components]Quad, rows crossing, x int, order *[components]int) {
	places := b.places(x, order)
	across(to, rows, &places)
}

// storeAcross stores r in the four points from x on, but for the points before number first.
func (b *batch) storeAcross(rows crossing, x, first int, order *[components]int) {
	places := b.places(x, order)
	if first == 0 {
		storeAcross(rows, &places, b.r)
		return
	}
	for i := range b.r {
		for m, at := range places {
			copy(rows.numbers[i*rows.stride+at:][first:4], b.r[i][m][first:])
		}
	}
}

// addAcross adds r there.
func (b *batch) addAcross(rows crossing, x, first int, order *[components]int) {
	places := b.places(x, order)
	if first == 0 {
		addAcross(rows, &places, b.r)
		return
	}
	for i := range b.r {
		for m, at := range places {
			for k := first; k < 4; k++ {
				rows.numbers[i*rows.stride+at+k] += b.r[i][m][k]
			}
		}
	}
}
