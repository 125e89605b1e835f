package guard

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/fagus-dsm/fagus/consistency"
)

// Tally counts what one rank did with a variable.
type Tally struct {
	Name      string
	Shared    int    // number of shared tenures
	Exclusive int    // number of exclusive tenures
	Unwritten int    // number of exclusive tenures in which nothing was changed
	Brought   uint64 // bytes received from other ranks
	Untouched uint64 // bytes of Brought that the program did not touch in the tenure
	Sharing   bool   // wrong reads may go undetected, because variables share pages
	OfParts   bool   // package parts has bound it: the program cannot change what it guards
	Company   uint64 // hash of all its tenures and accesses; equal: always acquired together
}

// acquired counts a tenure of the variable in the k-th set that the rank has acquired.
func (t *Tally) acquired(h hold, k uint64) {
	if h == exclusive {
		t.Exclusive++
	} else {
		t.Shared++
	}
	t.Company = digest(t.Company, k, uint64(h))
}

func digest(words ...uint64) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write(binary.LittleEndian.AppendUint64(nil, w))
	}
	return h.Sum64()
}

// Kind is the subject of an Advice.
type Kind string

// The kinds of advice.
const (
	NeverWritten  Kind = "never written"  // acquired exclusively, but only read
	NeverTouched  Kind = "never touched"  // half of the received bytes, at least a page, not used
	AlwaysOneSet  Kind = "always one set" // always acquired together, so one variable would do
	NeverAcquired Kind = "never acquired" // bound, but not acquired by any rank
)

// Advice suggests how a program could communicate less.
type Advice struct {
	Kind      Kind     `json:"kind"`
	Variables []string `json:"variables"`       // names, in the order of Bind
	Bytes     uint64   `json:"bytes,omitempty"` // bytes that were moved needlessly
	Text      string   `json:"text"`            // the advice as a sentence, without the kind
}

// String returns the kind and the text as one line.
func (a Advice) String() string { return string(a.Kind) + ": " + a.Text }

// Advise derives advice from the tallies of all ranks, which are indexed by rank and
// variable ID. A rank that returned early may have fewer tallies than others.
func Advise(ranks [][]Tally) (advice []Advice) {
	sums := add(ranks)
	if names := where(sums, func(t Tally) bool { return t.Exclusive > 0 && t.Unwritten == t.Exclusive }); len(names) > 0 {
		advice = append(advice, Advice{NeverWritten, names, 0,
			fmt.Sprintf("no exclusive tenure of %s changed anything; acquire with fagus.Shared, so that ranks need not wait for each other", list(names))})
	}
	untouched := func(t Tally) bool {
		return t.Untouched >= consistency.PageBytes && 2*t.Untouched >= t.Brought
	}
	if names := where(sums, untouched); len(names) > 0 {
		var bytes, of uint64
		for _, t := range sums {
			if untouched(t) {
				bytes, of = bytes+t.Untouched, of+t.Brought
			}
		}
		advice = append(advice, Advice{NeverTouched, names, bytes,
			fmt.Sprintf("%d of %d bytes that were transferred for %s; acquire only where the data are used, or bind smaller ranges", bytes, of, list(names))})
	}
	advice = append(advice, companions(sums)...)
	if names := where(sums, func(t Tally) bool { return t.Shared+t.Exclusive == 0 && !t.OfParts }); len(names) > 0 {
		advice = append(advice, Advice{NeverAcquired, names, 0, fmt.Sprintf("no rank acquired %s", list(names))})
	}
	return advice
}

// Coverage says for how many variables wrong reads may go undetected.
type Coverage struct {
	// Variables is the number of variables.
	Variables int `json:"variables"`
	// Sharing is the number of variables that share pages with others, in arrays whose Slice a
	// rank has used. A read of an element that is not held is not detected if another variable of
	// the same page may be read.
	Sharing int `json:"sharing_pages"`
}

// Cover derives the Coverage from the tallies of all ranks, as Advise does.
func Cover(ranks [][]Tally) (c Coverage) {
	for _, t := range add(ranks) {
		c.Variables++
		if t.Sharing {
			c.Sharing++
		}
	}
	return c
}

// add returns the sums of the tallies of all ranks, by variable ID.
func add(ranks [][]Tally) (sums []Tally) {
	for r, tallies := range ranks {
		for id, t := range tallies {
			if id == len(sums) {
				sums = append(sums, Tally{Name: t.Name, OfParts: t.OfParts})
			}
			s := &sums[id]
			s.Shared += t.Shared
			s.Exclusive += t.Exclusive
			s.Unwritten += t.Unwritten
			s.Brought += t.Brought
			s.Untouched += t.Untouched
			s.Sharing = s.Sharing || t.Sharing
			s.Company = digest(s.Company, uint64(r), t.Company)
		}
	}
	return sums
}

// where returns the names of the variables for which f is true.
func where(sums []Tally, f func(Tally) bool) (names []string) {
	for _, t := range sums {
		if f(t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// companions advises on variables that all ranks always acquired together and with equal access.
func companions(sums []Tally) (advice []Advice) {
	groups := make(map[uint64][]string)
	for _, t := range sums {
		if !t.OfParts {
			groups[t.Company] = append(groups[t.Company], t.Name)
		}
	}
	for _, t := range sums {
		names := groups[t.Company]
		if t.OfParts || len(names) < 2 || names[0] != t.Name || t.Shared+t.Exclusive == 0 {
			continue
		}
		advice = append(advice, Advice{AlwaysOneSet, names, 0,
			fmt.Sprintf("%s; bind their ranges to one variable, for shorter lists and fewer transfers", list(names))})
	}
	return advice
}

func list(names []string) string {
	const most = 4
	quoted := make([]string, 0, most)
	for _, name := range names[:min(most, len(names))] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
