package parts

import (
	"fmt"
	"unsafe"

	"github.com/fagus-dsm/fagus/fagus"
)

// Number is a type that Sums can add.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128
}

// Sums adds vectors over all ranks (an all-reduce). For a single number fagus.Reduce is faster.
type Sums[T Number] struct {
	node    *fagus.Node
	length  int
	vectors *Vectors[T] // nil if the vectors are folded
}

// NewSums makes an all-reduce of vectors with the given length. It is collective.
func NewSums[T Number](n *fagus.Node, name string, length int) (*Sums[T], error) {
	s := &Sums[T]{node: n, length: length}
	if n.Folds() && wordsOf(make([]T, 1)) != nil && length > 0 {
		return s, nil
	}
	var err error
	s.vectors, err = NewVectors[T](n, name, length)
	return s, err
}

// Add replaces x by the sum of the vectors of all ranks, element by element. The vectors are added
// in the order of the ranks. Add is collective, and the rank must hold no variable.
func (s *Sums[T]) Add(x []T) error {
	if len(x) != s.length {
		return fmt.Errorf("parts: Sums.Add of a vector of %d elements: want %d elements, the length given to NewSums", len(x), s.length)
	}
	if s.vectors != nil {
		return s.vectors.Gather(x, func(from [][]T) {
			copy(x, from[0])
			for _, term := range from[1:] {
				add(x, term)
			}
		})
	}
	one := T(1)
	words := wordsOf(x)
	sum, err := s.node.Fold(words, fagus.Fold{AnyOrder: one/2 == 0, Of: func(all []uint64) []uint64 {
		sum := make([]uint64, len(words))
		copy(sum, all)
		for all = all[len(words):]; len(all) > 0; all = all[len(words):] {
			add(numbers[T](sum), numbers[T](all[:len(words)]))
		}
		return sum
	}})
	if err == nil {
		copy(words, sum)
	}
	return err
}

// add adds y to x.
func add[T Number](x, y []T) {
	for i, v := range y {
		x[i] += v
	}
}

// wordsOf returns the memory of x as words, or nil if its elements are not whole words.
func wordsOf[T Number](x []T) []uint64 {
	if unsafe.Sizeof(x[0])%8 != 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0]))/8)
}

// numbers returns the memory of words as numbers. It undoes wordsOf.
func numbers[T Number](words []uint64) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(&words[0])), len(words)*8/int(unsafe.Sizeof(x)))
}
