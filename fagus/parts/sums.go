package parts

import (
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// Number is a type that Sums can add.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128
}

// Sums adds vectors over all ranks (an all-reduce). For a single number fagus.Reduce is faster.
type Sums[T Number] struct {
	node *fagus.Node
	// Rounds use the two terms in turn, so that the next round does not overwrite vectors that a
	// slow rank still reads.
	terms [2]*Blocks[T]
	round int // number of calls of Add
}

// NewSums makes an all-reduce of vectors with the given length. It is collective.
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

// Add replaces x by the sum of the vectors of all ranks, element by element. The vectors are added
// in the order of the ranks. Add is collective, and the rank must hold no variable.
func (s *Sums[T]) Add(x []T) error {
	terms := s.terms[s.round%2]
	if len(x) != terms.unit {
		return fmt.Errorf("parts: Sums.Add of a vector of %d elements: want %d elements, the length given to NewSums", len(x), terms.unit)
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
