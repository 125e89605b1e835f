package guard

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/fagus-dsm/fagus/consistency"
)

// Tally is what one rank did with a variable.
type Tally struct {
	Name      string
	Shared    int    // tenures
	Exclusive int    // tenures
	Unwritten int    // exclusive tenures in which nothing was changed
	Brought   uint64 // bytes that came from other ranks
	Untouched uint64 // of these, what the program did not touch before it gave them back
	Company   uint64 // covers when and in which mode it was acquired
}

// acquired counts the k-th tenure of a rank.
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

// Kind is what an Advice is about.
type Kind string

// The kinds of advice.
const (
	NeverWritten  Kind = "never written"  // acquired exclusively, and only read
	NeverTouched  Kind = "never touched"  // half of the bytes that came, and a page at least, were not looked at
	AlwaysOneSet  Kind = "always one set" // one binding would do
	NeverAcquired Kind = "never acquired" // variables that are bound, and no more
)

// Advice is a way to make a program communicate less.
type Advice struct {
	Kind      Kind     `json:"kind"`
	Variables []string `json:"variables"`       // in the order of Bind
	Bytes     uint64   `json:"bytes,omitempty"` // that need not have moved
	Text      string   `json:"text"`            // the same in words, without the kind
}

// String is the advice as a line of a report.
func (a Advice) String() string { return string(a.Kind) + ": " + a.Text }

// Advise looks at the tallies of all ranks, each by ID. A rank that has returned
// early may have fewer than others.
func Advise(ranks [][]Tally) (advice []Advice) {
	sums := add(ranks)
	if names := where(sums, func(t Tally) bool { return t.Exclusive > 0 && t.Unwritten == t.Exclusive }); len(names) > 0 {
		advice = append(advice, Advice{NeverWritten, names, 0,
			fmt.Sprintf("no exclusive tenure of %s changed anything; want fagus.Shared, so that ranks need not wait for each other", list(names))})
	}
	untouched := func(t Tally) bool {
		return t.Untouched >= consistency.PageBytes && 2*t.Untouched >= t.Brought // less is not worth the words
	}
	if names := where(sums, untouched); len(names) > 0 {
		var bytes, of uint64
		for _, t := range sums {
			if untouched(t) {
				bytes, of = bytes+t.Untouched, of+t.Brought
			}
		}
		advice = append(advice, Advice{NeverTouched, names, bytes,
			fmt.Sprintf("%d of %d bytes that were brought for %s; acquire where they are used, or bind less to one variable", bytes, of, list(names))})
	}
	advice = append(advice, companions(sums)...)
	if names := where(sums, func(t Tally) bool { return t.Shared+t.Exclusive == 0 }); len(names) > 0 {
		advice = append(advice, Advice{NeverAcquired, names, 0, fmt.Sprintf("no rank acquired %s", list(names))})
	}
	return advice
}

// add sums up what all ranks did with each variable.
func add(ranks [][]Tally) (sums []Tally) {
	for r, tallies := range ranks {
		for id, t := range tallies {
			if id == len(sums) {
				sums = append(sums, Tally{Name: t.Name})
			}
			s := &sums[id]
			s.Shared += t.Shared
			s.Exclusive += t.Exclusive
			s.Unwritten += t.Unwritten
			s.Brought += t.Brought
			s.Untouched += t.Untouched
			s.Company = digest(s.Company, uint64(r), t.Company)
		}
	}
	return sums
}

// where names the variables that f is true of.
func where(sums []Tally, f func(Tally) bool) (names []string) {
	for _, t := range sums {
		if f(t) {
			names = append(names, t.Name)
		}
	}
	return names
}

// companions finds variables that every rank acquired in the same sets and modes.
func companions(sums []Tally) (advice []Advice) {
	groups := make(map[uint64][]string)
	for _, t := range sums {
		groups[t.Company] = append(groups[t.Company], t.Name)
	}
	for _, t := range sums {
		names := groups[t.Company]
		if len(names) < 2 || names[0] != t.Name || t.Shared+t.Exclusive == 0 {
			continue
		}
		advice = append(advice, Advice{AlwaysOneSet, names, 0,
			fmt.Sprintf("%s; bind their ranges to one variable, for shorter lists and fewer transfers", list(names))})
	}
	return advice
}

// list names the first few.
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
