package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Number is what Sums adds.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128
}

// Sums adds vectors of all ranks: an all-reduce. For one number fagus.Reduce is faster.
type Sums[T Number] struct {
	node  *fagus.Node
	terms [2]*Blocks[T] // in turn, so that who is late reads what was meant for him
	round int
}

// NewSums makes sums of vectors of a length. It is collective.
func NewSums[T Number](n *fagus.Node, name string, length int) (*Sums[T], error) {
	s := &Sums[T]{node: n}
	for i := range s.terms {
		var err error
		if s.terms[i], err = NewBlocks[T](n, fmt.Sprintf("%s/%d", name, i), n.Nodes(), length); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Add makes x the sum of what all ranks call it with, element by element, added in the order of the
// ranks. It is collective, and the rank must hold nothing.
func (s *Sums[T]) Add(x []T) error {
	terms := s.terms[s.round%2]
	if len(x) != terms.unit {
		return fmt.Errorf("parts: a vector of %d elements is added to sums of %d", len(x), terms.unit)
	}
	s.round++
	n := s.node
	if err := n.During(n.Set(terms.WantFill()...), func() error {
		copy(terms.Mine(), x)
		return nil
	}); err != nil {
		return err
	}
	if err := n.Barrier(); err != nil {
		return err
	}
	return n.During(n.Set(terms.WantAll(fagus.Shared)...), func() error {
		copy(x, terms.Of(0))
		for r := 1; r < n.Nodes(); r++ {
			for i, y := range terms.Of(r) {
				x[i] += y
			}
		}
		return nil
	})
}
