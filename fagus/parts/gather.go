package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Gather returns the values v of all ranks, by rank, on every rank. T is any type that package
// codec encodes: strings, slices, maps, and structs with them. It is collective, and the rank must
// hold no variable. In phase mode it takes three phases. For a number fagus.Gather is faster.
//
//	all, err := parts.Gather(n, result{Name: name, Found: found}) // all[r] is of rank r
//
// The values have no memory in common with v. Values of any size may differ from rank to rank and
// from call to call; shared arrays grow when necessary, and stay allocated until the end of the
// run.
func Gather[T any](n *fagus.Node, v T) ([]T, error) {
	c, err := codecOf[T](n)
	if err != nil {
		return nil, fmt.Errorf("parts: Gather: %w", err)
	}
	mine, err := c.Append(nil, v)
	if err != nil {
		return nil, fmt.Errorf("parts: Gather: %w", err)
	}
	all := make([]T, n.Nodes())
	if err := moverOf(n).gather(mine, func(r int, b []byte) (err error) {
		all[r], err = c.DecodeAll(b)
		return err
	}); err != nil {
		return nil, fmt.Errorf("parts: Gather: %w", err)
	}
	return all, nil
}

// Reduce returns the values v of all ranks combined, in the order of the ranks, on every rank (see
// fagus.Reduce). combine may change and return its arguments, which have no memory in common with
// v. In all other respects it is a [Gather].
//
//	seen, err := parts.Reduce(n, seen, func(a, b map[string]int) map[string]int {
//		for word, count := range b {
//			a[word] += count
//		}
//		return a
//	})
//
// Every rank gets the values of all ranks. If they are large, use a [Table], of which each rank
// combines a part.
func Reduce[T any](n *fagus.Node, v T, combine func(a, b T) T) (T, error) {
	all, err := Gather(n, v)
	if err != nil {
		var none T
		return none, err
	}
	v = all[0]
	for _, next := range all[1:] {
		v = combine(v, next)
	}
	return v, nil
}
