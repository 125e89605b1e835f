package cpuset

import "math/bits"

// Set is a set of processors of a host. Bit n%8 of byte n/8 stands for processor n.
type Set [128]byte

// most is the number of processors that a Set can contain.
const most = len(Set{}) * 8

func (s *Set) add(cpu int) { s[cpu/8] |= 1 << (cpu % 8) }

// Join adds the processors of other, a Set of another process. other may have any length.
func (s *Set) Join(other []byte) {
	for i, b := range other[:min(len(other), len(s))] {
		s[i] |= b
	}
}

// Count returns the number of processors in the set.
func (s *Set) Count() (n int) {
	for _, b := range s {
		n += bits.OnesCount8(b)
	}
	return n
}
