package barnes

import "math"

// softening is the distance below which bodies do not attract each other more, as SPLASH has it.
const softening = 0.05

// cell is a cube of the octree with its bodies.
type cell struct {
	centre vec     // of mass
	bodies float64 // how many
	spread float64 // the sum of the squares of their distances from the centre
	open   float64 // the square of the distance up to which it is no body
	skip   int32   // the next cell that is not inside
	lo, hi int32   // the bodies of a leaf; none if there are cells inside
}

// tree is the cells, each followed by those inside it, in the order of their keys.
type tree struct {
	cells []cell
	theta float64
}

// leafBodies is how many bodies a cell may have without being divided.
const leafBodies = 8

// build makes the tree of bodies that are sorted by key. side is that of the cube of all.
func (t *tree) build(at []vec, keys []keyed, side float64) {
	t.cells = t.cells[:0]
	t.add(at, keys, 0, len(at), 0, side)
}

// add adds the cell of bodies lo up to hi, whose keys have the same first 3*depth bits, and those inside.
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

// gather finds the centre and the spread of bodies.
func (c *cell) gather(bodies []vec) {
	for _, p := range bodies {
		c.centre = c.centre.plus(p)
	}
	c.centre = c.centre.times(1 / c.bodies)
	for _, p := range bodies {
		c.spread += p.minus(c.centre).square()
	}
}

// gatherCells finds them of the cells from first on that are just inside.
func (c *cell) gatherCells(cells []cell, first int) {
	for i := first; i < int(c.skip); i = int(cells[i].skip) {
		c.centre = c.centre.plus(cells[i].centre.times(cells[i].bodies))
	}
	c.centre = c.centre.times(1 / c.bodies)
	for i := first; i < int(c.skip); i = int(cells[i].skip) {
		c.spread += cells[i].spread + cells[i].bodies*cells[i].centre.minus(c.centre).square()
	}
}

// pull is the acceleration and the potential that bodies of mass 1 give one of them at p, and how many
// interactions it takes.
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
	return a, potential + 1/softening, count // the body is no neighbour of itself
}
