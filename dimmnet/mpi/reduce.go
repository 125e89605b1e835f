package mpi

import "fmt"

// Reduce combines every rank's in by op, element by element, into root's out; out is root's
// alone. in and out may be the same.
func Reduce[T Number](c *Comm, in, out []T, op Op, root int) error {
	if !op.known() {
		return fmt.Errorf("mpi: Reduce: %v", op)
	}
	return ReduceFunc(c, in, out, func(into, from []T) { combine(op, into, from) }, root)
}

// Allreduce is Reduce to everybody's out.
func Allreduce[T Number](c *Comm, in, out []T, op Op) error {
	if len(in) != len(out) {
		return fmt.Errorf("mpi: Allreduce of %d elements to %d", len(in), len(out))
	}
	if err := Reduce(c, in, out, op, 0); err != nil {
		return err
	}
	return c.Bcast(Raw(out), 0)
}

// ReduceFunc is Reduce by a function of the user, which makes into[i] what into[i] and from[i]
// make. It must be associative, and need not be commutative: what comes from lower ranks is in
// into. A binomial tree combines neighbours first, so the result does not depend on root, nor on who
// comes first. Rank 0 passes it on to another root.
func ReduceFunc[T Number](c *Comm, in, out []T, f func(into, from []T), root int) error {
	if err := c.checkRoot(root); err != nil {
		return err
	}
	if c.rank == root && len(in) != len(out) {
		return c.engine.fail(fmt.Errorf("mpi: Reduce of %d elements to %d", len(in), len(out)))
	}
	tag := c.begin(reduceCall)
	own := append([]T(nil), in...)
	var from []T
	for bit := 1; bit < len(c.group); bit *= 2 {
		if c.rank&bit != 0 {
			if err := c.put(Raw(own), c.rank-bit, tag); err != nil {
				return err
			}
			break
		}
		if c.rank+bit < len(c.group) {
			if from == nil {
				from = make([]T, len(in))
			}
			if err := c.get(Raw(from), c.rank+bit, tag); err != nil {
				return err
			}
			f(own, from)
		}
	}
	tag += int(rootCall) - int(reduceCall)
	switch {
	case c.rank == 0 && root != 0:
		return c.put(Raw(own), root, tag)
	case c.rank == 0:
		copy(out, own)
	case c.rank == root:
		return c.get(Raw(out), 0, tag)
	}
	return nil
}
