package mandelbrot

import "math/rand/v2"

// drawRow computes the points of a row, and returns their total number of steps.
func (c *Config) drawRow(points []uint16, row int) (total int) {
	for i := range points {
		x, y := c.at(i, row)
		k := steps(x, y, c.Limit)
		points[i] = uint16(k)
		total += k
	}
	c.Plant(func() { points[0]++ })
	return total
}

// at returns the coordinates of a point. The first row is at the top.
func (c *Config) at(column, row int) (x, y float64) {
	unit := c.Span / float64(c.Width)
	return c.X + float64(unit*(float64(column)-float64(c.Width-1)/2)), c.Y - float64(unit*(float64(row)-float64(c.Height-1)/2))
}

// verify counts the points inside, and the wrong points in some rows of the picture. It calls
// broken after each row, and stops if broken returns an error.
func (c *Config) verify(r *Result, broken func() error) error {
	for _, k := range r.Picture {
		if int(k) == c.Limit {
			r.Inside++
		}
	}
	for _, row := range rand.New(rand.NewPCG(c.Seed, 0)).Perm(c.Height)[:min(c.Rows, c.Height)] {
		for i, k := range r.Picture[row*c.Width:][:c.Width] {
			x, y := c.at(i, row)
			if int(k) != plainSteps(x, y, c.Limit) {
				r.Wrong++
			}
		}
		if err := broken(); err != nil {
			return err
		}
	}
	return nil
}
