package programs

// cell is the populations of a cell: at rest, to the right, down, to the left, up, and to the right
// down, left down, left up and right up.
type cell struct {
	rest, right, down, left, up, rightDown, leftDown, leftUp, rightUp float64
}

// relax moves the populations of a cell towards their equilibrium.
func relax(c cell, omega float64) cell {
	rho := c.rest + c.right + c.down + c.left + c.up + c.rightDown + c.leftDown + c.leftUp + c.rightUp
	u := (c.right - c.left + c.rightDown - c.leftDown - c.leftUp + c.rightUp) / rho
	v := (c.down - c.up + c.rightDown + c.leftDown - c.leftUp - c.rightUp) / rho
	s := 1 - 1.5*(u*u+v*v)
	a, b := u+v, u-v
	c.rest += omega * (rho*4/9*s - c.rest)
	c.right += omega * (rho/9*(s+3*u+4.5*u*u) - c.right)
	c.down += omega * (rho/9*(s+3*v+4.5*v*v) - c.down)
	c.left += omega * (rho/9*(s-3*u+4.5*u*u) - c.left)
	c.up += omega * (rho/9*(s-3*v+4.5*v*v) - c.up)
	c.rightDown += omega * (rho/36*(s+3*a+4.5*a*a) - c.rightDown)
	c.leftDown += omega * (rho/36*(s-3*b+4.5*b*b) - c.leftDown)
	c.leftUp += omega * (rho/36*(s-3*a+4.5*a*a) - c.leftUp)
	c.rightUp += omega * (rho/36*(s+3*b+4.5*b*b) - c.rightUp)
	return c
}

// Flow moves the populations f to the neighbouring cells and relaxes them there, in g, in the
// rows lo to hi-1. Population k, in the order of the fields of cell, of row y and column x is
// element (k*h+y)*w+x. A population that would come from a wall is the one that has met it; a
// wall of kind 2 is a lid, which pushes it to the right.
//
//fagus:parallel
func Flow(g, f []float64, wall []uint8, h, w, lo, hi int, omega, lid float64) {
	for y := max(lo, 1); y < min(hi, h-1); y++ {
		for x := 1; x < w-1; x++ {
			c := relax(cell{
				rest:      f[y*w+x],
				right:     pull(wall[y*w+x-1], f[(h+y)*w+x-1], f[(3*h+y)*w+x], 0),
				down:      pull(wall[(y-1)*w+x], f[(2*h+y-1)*w+x], f[(4*h+y)*w+x], 0),
				left:      pull(wall[y*w+x+1], f[(3*h+y)*w+x+1], f[(h+y)*w+x], 0),
				up:        pull(wall[(y+1)*w+x], f[(4*h+y+1)*w+x], f[(2*h+y)*w+x], 0),
				rightDown: pull(wall[(y-1)*w+x-1], f[(5*h+y-1)*w+x-1], f[(7*h+y)*w+x], lid),
				leftDown:  pull(wall[(y-1)*w+x+1], f[(6*h+y-1)*w+x+1], f[(8*h+y)*w+x], -lid),
				leftUp:    pull(wall[(y+1)*w+x+1], f[(7*h+y+1)*w+x+1], f[(5*h+y)*w+x], -lid),
				rightUp:   pull(wall[(y+1)*w+x-1], f[(8*h+y+1)*w+x-1], f[(6*h+y)*w+x], lid),
			}, omega)
			g[y*w+x], g[(h+y)*w+x], g[(2*h+y)*w+x] = c.rest, c.right, c.down
			g[(3*h+y)*w+x], g[(4*h+y)*w+x], g[(5*h+y)*w+x] = c.left, c.up, c.rightDown
			g[(6*h+y)*w+x], g[(7*h+y)*w+x], g[(8*h+y)*w+x] = c.leftDown, c.leftUp, c.rightUp
		}
	}
}

// Speed returns the square of the greatest momentum of a cell in the rows lo to hi-1. It is nearly
// that of the velocity.
//
//fagus:parallel
func Speed(f []float64, wall []uint8, h, w, lo, hi int) (most float64) {
	for y := max(lo, 1); y < min(hi, h-1); y++ {
		for x := 1; x < w-1; x++ {
			d := f[(5*h+y)*w+x] - f[(7*h+y)*w+x]
			e := f[(6*h+y)*w+x] - f[(8*h+y)*w+x]
			u, v := f[(h+y)*w+x]-f[(3*h+y)*w+x]+d-e, f[(2*h+y)*w+x]-f[(4*h+y)*w+x]+d+e
			if wall[y*w+x] == 0 {
				most = max(most, u*u+v*v)
			}
		}
	}
	return most
}

// pull returns the population from a neighbour, or what has returned from a wall.
func pull(wall uint8, from, back, push float64) float64 {
	switch wall {
	case 0:
		return from
	case 2:
		return back + push
	}
	return back
}
