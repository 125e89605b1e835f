package adi

// components is the number of unknowns of a point: density, momentum in three directions, energy.
const components = 5

// cube is an array of N x N x N points. A row has N numbers of each component, one component after
// the other, and some more that kernels may read.
type cube struct {
	n, length int // points and numbers of a row
	numbers   []float64
}

// rowLength returns the length of a row with fields numbers for each of n points: a multiple of 4,
// with two more numbers at least.
func rowLength(n, fields int) int { return (n*fields + 2 + 3) &^ 3 }

func newCube(n int) *cube { return &cube{n: n, length: rowLength(n, components)} }

// size returns how many numbers a cube has.
func (c *cube) size() int { return c.n * c.n * c.length }

// row returns row y of plane z.
func (c *cube) row(z, y int) []float64 { return c.numbers[(z*c.n+y)*c.length:][:c.length:c.length] }

// lines returns the rows from row y of plane z on that lines cross. apart is the distance of two
// rows in rows: 1 along y, and n along z.
func (c *cube) lines(z, y, apart int) crossing {
	return crossing{c.numbers[(z*c.n+y)*c.length:], apart * c.length}
}
