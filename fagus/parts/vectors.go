package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Vectors has operations in which each rank takes part with a vector of its own: Gather and
// Reduce. Both are collective, and the rank must hold no variable. In phase mode each takes two
// phases. On many nodes it takes three, because vectors go in two steps as in a [Whole]. T is a
// type that NewArray accepts, for example a struct of numbers, or any other one that package codec
// encodes; such values take one more phase. For a single number fagus.Reduce and fagus.Gather are
// faster, and for a single value of another type [Gather] and [Reduce] are shorter.
type Vectors[T any] struct {
	node   *fagus.Node
	name   string
	length int
	// Calls use the two in turn, so that the next call does not overwrite vectors that a slow rank
	// still reads. The Fence of a call separates earlier calls from later ones.
	turns [2]*Blocks[T]
	calls int
	// steps is nil if every rank reads the vectors of all. With steps both turns are the same.
	steps  *wholeSteps
	copies *fagus.Array[T]
	// values moves elements that NewArray does not accept, or any number of elements; else nil.
	values *values[T]
}

// NewVectors makes room for a vector of at most the given length on each rank. It is collective.
// With a length of 0 vectors may have any length, which takes one more phase.
func NewVectors[T any](n *fagus.Node, name string, length int) (*Vectors[T], error) {
	if length < 0 {
		return nil, fmt.Errorf("parts: vectors %q of %d elements: want at least 1, or 0 for any number", name, length)
	}
	values, err := valuesOf[T](n, length)
	if err != nil {
		return nil, fmt.Errorf("parts: vectors %q: %w", name, err)
	}
	if values != nil {
		return &Vectors[T]{node: n, name: name, length: length, values: values}, nil
	}
	return newVectors[T](n, name, length, InSteps(n))
}

func newVectors[T any](n *fagus.Node, name string, length int, inSteps bool) (v *Vectors[T], err error) {
	v = &Vectors[T]{node: n, name: name, length: length}
	for i := range v.turns {
		if i == 1 && inSteps {
			v.turns[1] = v.turns[0]
			v.steps, v.copies, err = newWholeSteps(n, name, v.turns[0], func(rank int) int { return prefix[T]() + v.lengthOf(v.turns[0].Of(rank)) })
			return v, err
		}
		if v.turns[i], err = NewBlocks[T](n, fmt.Sprintf("%s/%d", name, i), n.Nodes(), prefix[T]()+length); err != nil {
			return nil, err
		}
		v.turns[i].Scratch()
	}
	return v, nil
}

// Gather calls read with the vectors of all ranks, by rank. They may differ in length. The vectors
// are in shared memory: read must not change them, and copies what is needed later. A rank whose
// read is nil gets nothing.
//
//	err := v.Gather(mine, func(from [][]point) {
//		for _, points := range from {
//			all = append(all, points...)
//		}
//	})
func (v *Vectors[T]) Gather(x []T, read func(from [][]T)) error {
	if len(x) > v.length && v.length > 0 {
		return fmt.Errorf("parts: vectors %q: %d elements on rank %d: want at most %d, the length given to NewVectors", v.name, len(x), v.node.Rank(), v.length)
	}
	if v.values != nil {
		from, err := v.values.gather(x, read != nil)
		if err == nil && read != nil {
			read(from)
		}
		return err
	}
	n, b := v.node, v.turns[v.calls%2]
	v.calls++
	if err := n.During(n.Set(b.guards[n.Rank()].Write().Reporting()), func() error {
		begin := n.Rank() * b.unit
		// 0 means the full length, so that a vector of this length moves without its word.
		lo, hi := message[T](b.Mine()).set(v.length-len(x), x)
		return wrote(n, b.Array, begin+lo, begin+hi)
	}); err != nil {
		return err
	}
	if err := n.Fence(); err != nil {
		return err
	}
	wants, all := b.WantAll(fagus.Shared), func() []T { return b.Part(0, b.Len()) }
	if v.steps != nil {
		if err := v.steps.forward(); err != nil {
			return err
		}
		if err := n.Fence(); err != nil {
			return err
		}
		wants, all = v.steps.reads, func() []T { return v.copies.Part(v.steps.column()) }
	}
	if read == nil {
		return nil
	}
	return n.Set(wants...).Do(func() {
		vectors, all := make([][]T, n.Nodes()), all()
		for r := range vectors {
			m := all[r*b.unit:][:b.unit]
			length := v.lengthOf(m)
			vectors[r] = m[prefix[T]():][:length:length]
		}
		read(vectors)
	})
}

// lengthOf returns the length of the vector in a message.
func (v *Vectors[T]) lengthOf(m message[T]) int { return v.length - m.word() }

// Reduce replaces x by the vectors of all ranks combined, element by element, in the order of the
// ranks (see fagus.Reduce). The vectors have the same length.
func (v *Vectors[T]) Reduce(x []T, combine func(a, b T) T) error {
	var uneven error
	err := v.Gather(x, func(from [][]T) {
		if uneven = v.even(x, from); uneven != nil {
			return
		}
		copy(x, from[0])
		for _, y := range from[1:] {
			for i, b := range y {
				x[i] = combine(x[i], b)
			}
		}
	})
	if err != nil {
		return err
	}
	return uneven
}

func (v *Vectors[T]) even(x []T, from [][]T) error {
	for r, y := range from {
		if len(y) != len(x) {
			return fmt.Errorf("parts: vectors %q: Reduce of %d elements on rank %d, and of %d on rank %d: want the same number on all ranks",
				v.name, len(x), v.node.Rank(), len(y), r)
		}
	}
	return nil
}
