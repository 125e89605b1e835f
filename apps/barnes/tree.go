package barnes

import "math"

// softening limits the attraction of close bodies; SPLASH uses this value, too.
const softening = 0.05

// cell is a cube of the octree and its bodies.
type cell struct {
	centre vec     // centre of mass
	bodies float64 // number of bodies
	spread float64 // the sum of the squared distances of its bodies from the centre
	open   float64 // square of the distance beyond which the cell counts as one body
	skip   int32   // index of the next cell that is not inside this cell
	lo, hi int32   // range of the bodies of a leaf; empty if the cell is divided
}

// tree has the cells in the order of their keys. Each cell is followed by the cells inside it.
type tree struct {
	cells []cell
	theta float64
}

// leafBodies is the largest number of bodies of a cell that is not divided.
const leafBodies = 8

// build builds the tree of bodies sorted by key. side is the side of the cube of all bodies.
func (t *tree) build(at []vec, keys []keyed, side float64) {
	t.cells = t.cells[:0]
	t.add(at, keys, 0, len(at), 0, side)
}

// add appends the cell of the bodies lo to hi-1, whose keys agree in the first 3*depth bits, and
// the cells inside it.
func (t *tree) add(at []vec, keys []keyed, lo, hi, depth int, side float64) {
	i := len(t.cells)
	t.cells = append(t.cells, cell{})
	leaf := hi-lo <= leafBodies || depth == keyBits
	if !leaf {
		shift := 3 * (keyBits - 1 - depth)
		for from := lo; from < hi; {
			to := from + 1
			for to < hi && keys[to].key>>shift == keys[from].key>>shift {
				to++
			}
			t.add(at, keys, from, to, depth+1, side/2)
			from = to
		}
	}
	c := &t.cells[i]
	c.bodies = float64(hi - lo)
	c.open = side * side / (t.theta * t.theta)
	c.skip = int32(len(t.cells))
	if leaf {
		c.lo, c.hi = int32(lo), int32(hi)
		c.gather(at[lo:hi])
	} else {
		c.gatherCells(t.cells, i+1)
	}
}

func (c *cell) gather(bodies []vec) {
	for _, p := range bodies {
		c.centre = c.centre.plus(p)
	}
	c.centre = c.centre.times(1 / c.bodies)
	for _, p := range bodies {
		c.spread += p.minus(c.centre).square()
	}
}

// gatherCells computes the centre and the spread of a cell from the cells directly inside it,
// which begin with first.
func (c *cell) gatherCells(cells []cell, first int) {
	for i := first; i < int(c.skip); i = int(cells[i].skip) {
		c.centre = c.centre.plus(cells[i].centre.times(cells[i].bodies))
	}
	c.centre = c.centre.times(1 / c.bodies)
	for i := first; i < int(c.skip); i = int(cells[i].skip) {
		c.spread += cells[i].spread + cells[i].bodies*cells[i].centre.minus(c.centre).square()
	}
}

// pull returns the acceleration and the potential of a body at p, if all bodies have mass 1, and
// the number of interactions.
func (t *tree) pull(at []vec, p vec) (a vec, potential float64, count int) {
	cells := t.cells
	for i := 0; i < len(cells); {
		c := &cells[i]
		dx, dy, dz := c.centre.x-p.x, c.centre.y-p.y, c.centre.z-p.z
		square := dx*dx + dy*dy + dz*dz
		switch {
		case square > c.open:
			inverse := 1 / math.Sqrt(square+softening*softening)
			f := c.bodies * inverse
			potential -= f
			f *= inverse * inverse
			a.x, a.y, a.z = a.x+f*dx, a.y+f*dy, a.z+f*dz
			count++
			i = int(c.skip)
		case c.lo < c.hi:
			bodies := at[c.lo:c.hi]
			for j := range bodies {
				b := &bodies[j]
				dx, dy, dz := b.x-p.x, b.y-p.y, b.z-p.z
				inverse := 1 / math.Sqrt(dx*dx+dy*dy+dz*dz+softening*softening)
				potential -= inverse
				f := inverse * inverse * inverse
				a.x, a.y, a.z = a.x+f*dx, a.y+f*dy, a.z+f*dz
			}
			count += len(bodies)
			i = int(c.skip)
		default:
			i++
		}
	}
	return a, potential + 1/softening, count // removes the body's own contribution
}
