package consistency

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// wordsOf returns ranges as words for declare.
func wordsOf(ranges []Range) (words []uint64) {
	for _, r := range ranges {
		words = append(words, uint64(r.Lo), uint64(r.Hi))
	}
	return words
}

// Declared returns the number of regions and bindings.
func (s *Space) Declared() int { return s.declared }

// Digest returns a digest of the first count declarations; count is at most Declared().
func (s *Space) Digest(count int) uint64 { return s.catalogue.digest(count) }

// Declaration describes declaration i, counted from 0.
func (s *Space) Declaration(i int) string { return s.catalogue.declarations[i].what }

// CheckSame compares the declarations of rank own, whose space this is, with the declarations of
// rank other. Rank other has made declared declarations with this digest; declared must be at most
// Declared(). The first agreed ones are known to be equal.
func (s *Space) CheckSame(own, other dimmnet.Rank, agreed, declared uint32, digest uint64) error {
	if digest == s.Digest(int(declared)) {
		return nil
	}
	return &Difference{Own: own, Other: other,
		What:  fmt.Sprintf("ranks %d and %d declared different things", min(own, other), max(own, other)),
		Where: fmt.Sprintf("one of declarations %d to %d differs", agreed+1, declared)}
}

// Difference is the error of two ranks that have declared different things.
type Difference struct {
	Own, Other dimmnet.Rank // Own found the difference
	What       string
	Where      string // which declaration differs; empty if unknown
	Found      bool   // Where says what both ranks declared
}

// Error says what differs, and where if that is known.
func (d *Difference) Error() string {
	text := d.What + "; all ranks must make the same arrays and bindings in the same order"
	if d.Where != "" {
		text += "; " + d.Where
	}
	return text
}

// CheckCount returns an error unless rank other, which is in the same call as rank own, has made
// as many declarations as rank own.
func (s *Space) CheckCount(own, other dimmnet.Rank, declared uint32) error {
	n := uint32(s.Declared())
	if n == declared {
		return nil
	}
	d := &Difference{Own: own, Other: other}
	if other < own {
		own, n, other, declared = other, declared, own, n
	}
	d.What = fmt.Sprintf("rank %d has made %d arrays and bindings and rank %d %d", own, n, other, declared)
	return d
}
