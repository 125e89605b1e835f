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
type Sums[T Number] struct{ vectors *Vectors[T] }

// NewSums makes an all-reduce of vectors with the given length. It is collective.
func NewSums[T Number](n *fagus.Node, name string, length int) (*Sums[T], error) {
	v, err := NewVectors[T](n, name, length)
	return &Sums[T]{v}, err
}

// Add replaces x by the sum of the vectors of all ranks, element by element. The vectors are added
// in the order of the ranks. Add is collective, and the rank must hold no variable.
func (s *Sums[T]) Add(x []T) error {
	if len(x) != s.vectors.length {
		return fmt.Errorf("parts: Sums.Add of a vector of %d elements: want %d elements, the length given to NewSums", len(x), s.vectors.length)
	}
	return s.vectors.Gather(x, func(from [][]T) {
		copy(x, from[0])
		for _, term := range from[1:] {
			for i, y := range term {
				x[i] += y
			}
		}
	})
}
