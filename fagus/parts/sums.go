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
//
// Where words can be folded, short vectors are folded. Long ones are scattered on 16 nodes and
// more: each rank gets its block of the vectors of all ranks, adds them, and then all ranks read
// the sums. Otherwise every rank reads the vectors of all. The bits are the same.
type Sums[T Number] struct {
	node    *fagus.Node
	length  int
	vectors *Vectors[T]  // nil if the vectors are folded or scattered
	blocks  *AllToAll[T] // nil if the vectors are not scattered
	sums    *Whole[T]    // with blocks
}

// scatterBytes is the smallest length of vectors that are scattered. On 32 nodes a Fold takes as
// long as scattering with 200 bytes of float64, where the order matters, and with 512 of int64:
//
//	go test ./fagus/parts -run - -bench SumsSimulated -benchtime 1x
const scatterBytes = 512

// NewSums makes an all-reduce of vectors with the given length. It is collective.
func NewSums[T Number](n *fagus.Node, name string, length int) (*Sums[T], error) {
	return newSums[T](n, name, length, n.Folds() && n.Nodes() >= hopNodes && length*int(unsafe.Sizeof(T(0))) >= scatterBytes)
}

func newSums[T Number](n *fagus.Node, name string, length int, scatter bool) (s *Sums[T], err error) {
	s = &Sums[T]{node: n, length: length}
	if scatter {
		_, most := Block(length, n.Nodes(), 0)
		if s.blocks, err = NewAllToAll[T](n, name+".blocks", most); err != nil {
			return nil, err
		}
		s.sums, err = NewWhole[T](n, name, length)
		return s, err
	}
	if n.Folds() && wordsOf(make([]T, 1)) != nil && length > 0 {
		return s, nil
	}
	s.vectors, err = NewVectors[T](n, name, length)
	return s, err
}

// Add replaces x by the sum of the vectors of all ranks, element by element. The vectors are added
// in the order of the ranks. Add is collective, and the rank must hold no variable.
func (s *Sums[T]) Add(x []T) error {
	if len(x) != s.length {
		return fmt.Errorf("parts: Sums.Add of a vector of %d elements: want %d elements, the length given to NewSums", len(x), s.length)
	}
	switch {
	case s.blocks != nil:
		return s.scatter(x)
	case s.vectors != nil:
		return s.vectors.Gather(x, func(from [][]T) { addAll(x, from) })
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

// scatter is Add by blocks: each rank adds one block of all vectors.
func (s *Sums[T]) scatter(x []T) error {
	lo, hi := s.sums.Items(s.node.Rank())
	mine := make([]T, hi-lo)
	if err := s.blocks.Exchange(
		func(to [][]T) {
			for r := range to {
				lo, hi := s.sums.Items(r)
				to[r] = append(to[r], x[lo:hi]...)
			}
		},
		func(from [][]T) { addAll(mine, from) }); err != nil {
		return err
	}
	if err := s.sums.Fill(func(to []T) { copy(to, mine) }); err != nil {
		return err
	}
	return s.sums.Read(func(all []T) { copy(x, all) })
}

// addAll sets x to the sum of vectors, added in order.
func addAll[T Number](x []T, from [][]T) {
	copy(x, from[0])
	for _, term := range from[1:] {
		add(x, term)
	}
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
