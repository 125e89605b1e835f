package programs

import (
	"cmp"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// arrays are the resident arrays of a program. After an error all functions do nothing.
type arrays struct {
	node  *fagus.Node
	frees []func() error
	err   error
}

// made adds an array that was made. It returns nil after an error.
func made[T any](a *arrays, r *region.Resident[T], err error) *region.Resident[T] {
	if a.err = cmp.Or(a.err, err); a.err != nil {
		return nil
	}
	a.frees = append(a.frees, r.Free)
	return r
}

// place makes an array of rank 0's input.
func place[T any](a *arrays, name string, from []T) *region.Resident[T] {
	if a.err != nil {
		return nil
	}
	r, err := region.Place(a.node, name, from)
	return made(a, r, err)
}

// zeros makes an array of zeros.
func zeros(a *arrays, name string, length int) *region.Resident[float64] {
	if a.err != nil {
		return nil
	}
	r, err := region.New[float64](a.node, name, length)
	return made(a, r, err)
}

// free frees the arrays when a program returns.
func (a *arrays) free(err *error) {
	for _, f := range a.frees {
		*err = cmp.Or(*err, f())
	}
}

// Constants of [Water].
const (
	Distance = 1e5 // of the points, in m
	Flux     = 4 / Distance
)

// Step returns the time in s over which a step of [Water] goes, and the factor by which it smooths.
// The first step starts from now, and all others from the time before.
func Step(step int) (dt, smoothing float64) {
	if step == 0 {
		return 90, 0
	}
	return 180, 0.001
}

// field is the velocities down and to the right, and the pressure.
type field struct{ u, v, p *region.Resident[float64] }

func (f field) slices() (u, v, p []float64) { return f.u.Slice(), f.v.Slice(), f.p.Slice() }

// Water makes steps of the shallow water equations in a closed basin, on a staggered grid of h x
// w points (Sadourny's scheme, as in the benchmark Shallow of NCAR, but without periodic
// borders). u and v are the velocities down and to the right, p is the pressure: u[i*w+j] is
// above p[i*w+j], and v[i*w+j] on its left. The last row of v and p and the last column of u and
// p are not used. The first and last row of u and the first and last column of v are walls, where
// the velocity is 0. Rank 0's slices are the input, and receive the output.
func Water(node *fagus.Node, u, v, p []float64, h, w, steps int) (err error) {
	a := &arrays{node: node}
	defer a.free(&err)
	now := field{place(a, "u", u), place(a, "v", v), place(a, "p", p)}
	next := field{zeros(a, "u", h*w), zeros(a, "v", h*w), zeros(a, "p", h*w)}
	before := field{zeros(a, "u before", h*w), zeros(a, "v before", h*w), zeros(a, "p before", h*w)}
	fluxes := []*region.Resident[float64]{zeros(a, "cu", h*w), zeros(a, "cv", h*w), zeros(a, "z", h*w), zeros(a, "b", h*w)}
	if a.err != nil {
		return a.err
	}
	cu, cv, z, b := fluxes[0].Slice(), fluxes[1].Slice(), fluxes[2].Slice(), fluxes[3].Slice()
	for step := range steps {
		dt, smoothing := Step(step)
		from := before
		if step == 0 {
			from = now
		}
		u, v, p := now.slices()
		un, vn, pn := next.slices()
		uo, vo, po := before.slices()
		uf, vf, pf := from.slices()
		if err := cmp.Or(
			FluxesOn(node, cu, cv, z, b, u, v, p, 0, h-1, w, Flux, Flux),
			LeapOn(node, un, vn, pn, uf, vf, pf, cu, cv, z, b, 0, h-1, w, dt/8, dt/Distance, dt/Distance),
			SmoothOn(node, uo, vo, po, u, v, p, un, vn, pn, 0, h-1, w, smoothing),
		); err != nil {
			return err
		}
		now, next = next, now
	}
	return cmp.Or(now.u.Fetch(u), now.v.Fetch(v), now.p.Fetch(p))
}

// Every is the number of steps after which [Lattice] looks at the speed.
const Every = 10

// Lattice makes steps of a flow in a box by the lattice Boltzmann method (D2Q9). f has the nine
// populations of h x w cells as [Flow] describes, after a collision. wall is 0 for fluid, 1 for
// walls, 2 for a lid; the outermost cells are walls, and have no populations. Rank 0's slices are
// the input, and f receives the output. Lattice returns the square of the greatest speed that it
// has seen.
func Lattice(node *fagus.Node, f []float64, wall []uint8, h, w, steps int, omega, lid float64) (most float64, err error) {
	a := &arrays{node: node}
	defer a.free(&err)
	walls, from, to := place(a, "wall", wall), place(a, "f", f), zeros(a, "g", len(f))
	if a.err != nil {
		return 0, a.err
	}
	for step := range steps {
		if err := FlowOn(node, to.Slice(), from.Slice(), walls.Slice(), h, w, 0, h, omega, lid); err != nil {
			return 0, err
		}
		from, to = to, from
		if step%Every == 0 {
			speed, err := SpeedOn(node, from.Slice(), walls.Slice(), h, w, 0, h)
			if err != nil {
				return 0, err
			}
			most = max(most, speed)
		}
	}
	return most, from.Fetch(f)
}

// Means finds clusters of points by Lloyd's algorithm, in at most steps steps. It returns their
// centres, which begin as given, and the number of steps. Rank 0's slices are the input, and label
// receives the cluster of each point.
func Means(node *fagus.Node, points []float64, label []int, centres Model, steps int) (_ Model, count int, err error) {
	a := &arrays{node: node}
	defer a.free(&err)
	x, labels := place(a, "points", points), place(a, "label", label)
	if a.err != nil {
		return centres, 0, a.err
	}
	for changed := 1; count < steps && changed > 0; count++ {
		var sums Model
		if sums, changed, err = AssignOn(node, x.Slice(), labels.Slice(), centres); err != nil {
			return centres, 0, err
		}
		centres = Move(centres, sums)
	}
	return centres, count, labels.Fetch(label)
}

// Gradients solves a system of equations with a positive definite matrix in compressed rows (see
// [Multiply]) by the method of conjugate gradients, in a number of steps. It starts from x = 0, and
// returns the square of the residual. Rank 0's slices are the input, and x receives the output.
func Gradients(node *fagus.Node, x, right, val []float64, begin, col []int, steps int) (rr float64, err error) {
	a := &arrays{node: node}
	defer a.free(&err)
	begins, cols, vals := place(a, "begin", begin), place(a, "col", col), place(a, "val", val)
	rs, ps := place(a, "r", right), place(a, "p", right)
	xs, qs := zeros(a, "x", len(x)), zeros(a, "q", len(x))
	if a.err != nil {
		return 0, a.err
	}
	r, p, q := rs.Slice(), ps.Slice(), qs.Slice()
	if rr, err = DotOn(node, r, r); err != nil {
		return 0, err
	}
	for range steps {
		if err := MultiplyOn(node, q, p, vals.Slice(), begins.Slice(), cols.Slice()); err != nil {
			return 0, err
		}
		pq, err := DotOn(node, p, q)
		if err != nil {
			return 0, err
		}
		before := rr
		if rr, err = AdvanceOn(node, xs.Slice(), r, p, q, rr/pq); err != nil {
			return 0, err
		}
		if err := TurnOn(node, p, r, rr/before); err != nil {
			return 0, err
		}
	}
	return rr, xs.Fetch(x)
}
