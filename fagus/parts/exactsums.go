package parts

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/fagus-dsm/fagus/fagus"
)

// ExactSums adds vectors of Exact over all ranks. Of each Exact only some words move: those that
// are not 0, or that an earlier call needed.
//
// Where words can be folded, all ranks use the same windows, which grow when a number does not
// fit. A call then takes one Fold, and three if numbers do not fit. Elsewhere the vector of each
// rank says which windows it has.
type ExactSums struct {
	node    *fagus.Node
	name    string
	windows []window // by element; the same on all ranks
	vectors vectors  // nil if the words are folded
}

// vectors is a *Vectors[uint64], which no program compiles again because of this.
type vectors interface {
	Gather(mine []uint64, read func(from [][]uint64)) error
}

// oddWords is the number of words behind an Exact with odd numbers.
const oddWords = 3

// NewExactSums makes an all-reduce of vectors of Exact with the given length. It is collective.
func NewExactSums(n *fagus.Node, name string, length int) (*ExactSums, error) {
	if length < 1 {
		return nil, fmt.Errorf("parts: exact sums %q of %d elements: want at least 1", name, length)
	}
	s := &ExactSums{node: n, name: name, windows: make([]window, length)}
	if n.Folds() {
		return s, nil
	}
	const most = 1 + (exactLimbs+2)/2 + oddWords
	v, err := NewVectors[uint64](n, name, length*most)
	if err != nil {
		return nil, err
	}
	s.vectors = v
	return s, nil
}

// Add sets each element of x to the sum of that element over all ranks. The bits of the result
// depend only on the numbers that all ranks together have added, not on the number of ranks. Add
// is collective, and the rank must hold no variable.
func (s *ExactSums) Add(x []Exact) error {
	if len(x) != len(s.windows) {
		return fmt.Errorf("parts: exact sums %q: Add of %d elements: want %d, the length given to NewExactSums", s.name, len(x), len(s.windows))
	}
	for i := range x {
		x[i].carry()
	}
	if s.vectors != nil {
		return s.gather(x)
	}
	return s.fold(x)
}

// gather adds the vectors of all ranks on every rank.
func (s *ExactSums) gather(x []Exact) error {
	sums := make([]Exact, len(x))
	err := s.vectors.Gather(encodeExact(x), func(from [][]uint64) {
		for _, words := range from {
			for i := range sums {
				words = sums[i].addNext(words)
			}
		}
	})
	if err == nil {
		copy(x, sums)
	}
	return err
}

// encodeExact returns x in words. An Exact is a head, its words, and, if it has odd numbers, their
// counts. The head has the first limb, the number of words, and whether there are odd numbers.
func encodeExact(x []Exact) (words []uint64) {
	for i := range x {
		x[i].carry()
		w, odd := x[i].window(0), uint64(0)
		if x[i].odd != [oddWords]int64{} {
			odd = 1
		}
		words = x[i].appendWords(append(words, odd<<16|uint64(w.words)<<8|uint64(w.lo)), w)
		if odd != 0 {
			for _, count := range x[i].odd {
				words = append(words, uint64(count))
			}
		}
	}
	return words
}

// addNext adds the first Exact in words, from encodeExact, to e, and returns the other words.
func (e *Exact) addNext(words []uint64) (rest []uint64) {
	head, words := words[0], words[1:]
	w := window{int(head & 0xff), int(head >> 8 & 0xff)}
	var y Exact
	y.setWords(w, words)
	words = words[w.words:]
	if head>>16 != 0 {
		for i := range y.odd {
			y.odd[i] = int64(words[i])
		}
		words = words[oddWords:]
	}
	e.AddExact(&y)
	e.carry()
	return words
}

// fold adds the words in the windows. A word before them counts the numbers that do not fit.
func (s *ExactSums) fold(x []Exact) error {
	spare := bits.Len(uint(s.node.Nodes() - 1)) // a sum of n numbers has log2(n) bits more
	for {
		if s.words() > 0 {
			if done, err := s.foldWords(x, spare); done || err != nil {
				return err
			}
		}
		odd, err := s.agree(x, spare)
		switch {
		case err != nil:
			return err
		case odd:
			return s.foldAll(x)
		case s.words() == 0: // all numbers are 0
			return nil
		}
	}
}

// words returns how many words all windows have.
func (s *ExactSums) words() (all int) {
	for _, w := range s.windows {
		all += w.words
	}
	return all
}

// foldWords adds up the words in the windows. If numbers of any rank do not fit, it returns false,
// and x stays.
func (s *ExactSums) foldWords(x []Exact, spare int) (done bool, err error) {
	mine := make([]uint64, 1, 1+s.words())
	for i := range x {
		if !s.windows[i].contains(x[i].window(spare)) || x[i].odd != [oddWords]int64{} {
			mine[0] = 1
		}
		mine = x[i].appendWords(mine, s.windows[i])
	}
	sum, err := s.foldBy(mine, func(sum, y []uint64) {
		sum[0] |= y[0]
		addWords(sum[1:], y[1:], s.windows)
	})
	if err != nil || sum[0] != 0 {
		return false, err
	}
	sum = sum[1:]
	for i, w := range s.windows {
		x[i].setWords(w, sum)
		sum = sum[w.words:]
	}
	return true, nil
}

// foldBy folds a vector in any order by a function that adds y to sum.
func (s *ExactSums) foldBy(mine []uint64, add func(sum, y []uint64)) ([]uint64, error) {
	return s.node.Fold(mine, fagus.Fold{AnyOrder: true, Of: func(all []uint64) []uint64 {
		sum := append([]uint64(nil), all[:len(mine)]...)
		for all = all[len(mine):]; len(all) > 0; all = all[len(mine):] {
			add(sum, all[:len(mine)])
		}
		return sum
	}})
}

// agree extends the windows to contain the windows of all ranks, and reports whether any has odd
// numbers.
func (s *ExactSums) agree(x []Exact, spare int) (odd bool, err error) {
	// All ranks learn the greatest value of each byte. The bytes say whether there is an odd
	// number, and, for each window, its first limb counted down, and its end.
	need := make([]byte, (1+2*len(x)+wordBytes-1)/wordBytes*wordBytes)
	for i := range x {
		if x[i].odd != [oddWords]int64{} {
			need[0] = 1
		}
		if w := x[i].window(spare); w.words > 0 {
			need[1+2*i], need[2+2*i] = byte(exactLimbs-w.lo), byte(w.end())
		}
	}
	all, err := s.foldBy(decode(need), func(sum, y []uint64) {
		for i := range sum {
			sum[i] = greatest(sum[i], y[i])
		}
	})
	if err != nil {
		return false, err
	}
	need = need[:0]
	for _, word := range all {
		need = binary.LittleEndian.AppendUint64(need, word)
	}
	for i := range s.windows {
		if down := int(need[1+2*i]); down > 0 {
			s.windows[i] = s.windows[i].union(windowOf(exactLimbs-down, int(need[2+2*i])))
		}
	}
	return need[0] != 0, nil
}

func decode(b []byte) (words []uint64) {
	for ; len(b) > 0; b = b[wordBytes:] {
		words = append(words, binary.LittleEndian.Uint64(b))
	}
	return words
}

// greatest returns the greater of each byte of a and b.
func greatest(a, b uint64) (c uint64) {
	for shift := 0; shift < 64; shift += 8 {
		c |= max(a>>shift&0xff, b>>shift&0xff) << shift
	}
	return c
}

// foldAll adds up all limbs and the counts of odd numbers.
func (s *ExactSums) foldAll(x []Exact) error {
	var mine []uint64
	for i := range x {
		for _, limb := range x[i].limbs {
			mine = append(mine, uint64(limb))
		}
		for _, count := range x[i].odd {
			mine = append(mine, uint64(count))
		}
	}
	sum, err := s.foldBy(mine, func(sum, y []uint64) { add(sum, y) })
	if err != nil {
		return err
	}
	for i := range x {
		for j := range x[i].limbs {
			x[i].limbs[j] = int64(sum[j])
		}
		for j := range x[i].odd {
			x[i].odd[j] = int64(sum[exactLimbs+j])
		}
		x[i].carry()
		sum = sum[exactLimbs+oddWords:]
	}
	return nil
}
