package cpuset

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Set is a set of processors of a host. Bit n%8 of byte n/8 stands for processor n.
type Set [128]byte

// most is the number of processors that a Set can contain.
const most = len(Set{}) * 8

// Parse returns the processors of a list in the form that Linux uses in files: "0-3,8". It skips
// processors that a Set cannot contain.
func Parse(list string) (s Set, err error) {
	list = strings.TrimSpace(list)
	if list == "" {
		return s, nil
	}
	for part := range strings.SplitSeq(list, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		a, errFirst := strconv.ParseUint(first, 10, 31)
		b, errLast := strconv.ParseUint(last, 10, 31)
		if errFirst != nil || errLast != nil || a > b {
			return Set{}, fmt.Errorf("cpuset: %.80q in the list %.80q: want a number or a range of them, such as 0-3", part, list)
		}
		for cpu := int(a); cpu <= min(int(b), most-1); cpu++ {
			s.add(cpu)
		}
	}
	return s, nil
}

func (s *Set) add(cpu int) { s[cpu/8] |= 1 << (cpu % 8) }

// Overlaps reports whether the sets have a processor in common.
func (s *Set) Overlaps(other *Set) bool {
	for i, b := range other {
		if s[i]&b != 0 {
			return true
		}
	}
	return false
}

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
