package mpi

import "fmt"

// Reduce combines every rank's in by op, element by element, in root's out. Only root uses out.
// in and out may be the same slice.
func Reduce[T Number](c *Comm, in, out []T, op Op, root int) error {
	if !op.known() {
		return fmt.Errorf("mpi: Reduce by %v: want Sum, Product, Min, Max or Replace", op)
	}
	return ReduceFunc(c, in, out, func(into, from []T) { combine(op, into, from) }, root)
}

// Allreduce is Reduce with the result in every rank's out.
func Allreduce[T Number](c *Comm, in, out []T, op Op) error {
	if len(in) != len(out) {
		return fmt.Errorf("mpi: Allreduce %d elements into %d: want equal lengths", len(in), len(out))
	}
	if err := Reduce(c, in, out, op, 0); err != nil {
		return err
	}
	return c.Bcast(Raw(out), 0)
}

// ReduceFunc is Reduce with the user's function, which sets into[i] to the combination of
// into[i] and from[i]. f must be associative but need not be commutative: into holds the values
// of lower ranks. A binomial tree combines neighbors first, so the result depends neither on
// root nor on the order of arrival. Rank 0 computes the result and sends it to root.
func ReduceFunc[T Number](c *Comm, in, out []T, f func(into, from []T), root int) error {
	if err := c.checkRoot(root); err != nil {
		return err
	}
	if c.rank == root && len(in) != len(out) {
		return c.engine.fail(fmt.Errorf("mpi: Reduce %d elements into %d: want equal lengths", len(in), len(out)))
	}
	tag := c.begin(reduceCall)
	own := append([]T(nil), in...)
	var from []T
	for bit := 1; bit < len(c.group); bit *= 2 {
		if c.rank&bit != 0 {
			if err := c.sendPart(Raw(own), c.rank-bit, tag); err != nil {
				return err
			}
			break
		}
		if c.rank+bit < len(c.group) {
			if from == nil {
				from = make([]T, len(in))
			}
			if err := c.recvPart(Raw(from), c.rank+bit, tag); err != nil {
				return err
			}
			f(own, from)
		}
	}
	tag += int(rootCall) - int(reduceCall)
	switch {
	case c.rank == 0 && root != 0:
		return c.sendPart(Raw(own), root, tag)
	case c.rank == 0:
		copy(out, own)
	case c.rank == root:
		return c.recvPart(Raw(out), 0, tag)
	}
	return nil
}
