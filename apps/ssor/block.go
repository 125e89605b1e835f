package ssor

import "slices"

// block has the planes z that a rank computes, from lo to hi-1. All but the unknowns is in private
// memory.
type block struct {
	*kernel
	lo, hi int
	inner  func(z int) []vector // the unknowns of plane z, but for the first and last plane of all
	outer  [2][]vector          // the unknowns of the first and the last plane, which never change

	x       []vector // the residual and then the correction of the planes; 0 at the boundary
	forcing []vector
	states  []state // of the planes lo-1 to hi
}

func newBlock(p *problem, lo, hi int, inner func(z int) []vector) *block {
	plane := p.n * p.n
	b := &block{kernel: newKernel(p), lo: lo, hi: hi, inner: inner}
	b.x, b.forcing = make([]vector, (hi-lo)*plane), make([]vector, (hi-lo)*plane)
	b.states = make([]state, (hi-lo+2)*plane)
	for i, z := range []int{0, p.n - 1} {
		b.outer[i] = make([]vector, plane)
		b.exact(z, b.outer[i])
	}
	return b
}

// u returns the unknowns of plane z.
func (b *block) u(z int) []vector {
	switch z {
	case 0:
		return b.outer[0]
	case b.n - 1:
		return b.outer[1]
	}
	return b.inner(z)
}

// row returns row y of plane z of x.
func (b *block) row(z, y int) []vector { return b.x[((z-b.lo)*b.n+y)*b.n:][:b.n] }

// state returns the states of plane z from row y on.
func (b *block) state(z, y int) []state { return b.states[((z-b.lo+1)*b.n+y)*b.n:] }

// correct adds the corrections of plane z to its unknowns.
func (b *block) correct(z int) {
	const factor = 1 / (relaxation * (2 - relaxation))
	u := b.u(z)
	x := b.x[(z-b.lo)*len(u):][:len(u)]
	for i := range u {
		for m := range 5 {
			u[i][m] += factor * x[i][m]
		}
	}
}

// rowsAtOnce is the number of rows of each plane in a batch. With few, the pipeline fills soon: on
// 8 simulated nodes class W takes 32 s with 1, 39 s with 2 and 53 s with 4. With many, there are
// fewer calls: on 2 nodes of --net tcp an iteration takes 7.5, 6.5 and 3.0 ms at least. On --net
// shm the difference was less than the noise.
const rowsAtOnce = 2

// batch is the rows y from lo to hi-1 of all planes.
type batch struct{ lo, hi int }

// batches returns all batches, in the order of a sweep.
func (b *block) batches(step int) (all []batch) {
	for lo := 1; lo < b.n-1; lo += rowsAtOnce {
		all = append(all, batch{lo, min(lo+rowsAtOnce, b.n-1)})
	}
	if step < 0 {
		slices.Reverse(all)
	}
	return all
}

// spoil changes the forcing of a point of the last plane.
func (b *block) spoil() { b.forcing[len(b.forcing)-b.n*b.n/2-b.n/2][0]++ }
