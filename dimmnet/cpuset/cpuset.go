package cpuset

import "math/bits"

// Set is a set of processors, by their numbers on the host: bit n%8 of byte n/8.
type Set [128]byte

// most is how many processors a Set can have.
const most = len(Set{}) * 8

// add adds a processor.
func (s *Set) add(cpu int) { s[cpu/8] |= 1 << (cpu % 8) }

// Join adds the processors of a set that came from elsewhere, which may have any length.
func (s *Set) Join(other []byte) {
	for i, b := range other[:min(len(other), len(s))] {
		s[i] |= b
	}
}

// Count is how many processors the set has.
func (s *Set) Count() (n int) {
	for _, b := range s {
		n += bits.OnesCount8(b)
	}
	return n
}
