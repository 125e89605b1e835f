package syncvar

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Wait is what a rank waits for in a call, as far as it knows.
type Wait struct {
	Phased bool           // it is in a communication phase
	Phase  uint64         // the number of that
	For    string         // what is due, as in "the lists of ranks"; empty: nothing is
	Ranks  []dimmnet.Rank // who is meant, each once, in order, the first few of them
	More   int            // how many more of these there are
	Owners []Holding      // of the first few variables that the call wants, by ID
}

// Holding says which rank is known to have the newest version of a variable.
type Holding struct {
	ID    ID
	Owner dimmnet.Rank
}

// WaitRanks and WaitOwners bound what a Wait names.
const (
	WaitRanks  = 8
	WaitOwners = 4
)

// From is w for what is due, in words, from ranks in any order, which it sorts.
func (w Wait) From(words string, ranks []dimmnet.Rank) Wait {
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	few := min(len(ranks), WaitRanks)
	w.For, w.Ranks, w.More = words, append(w.Ranks[:0], ranks[:few]...), len(ranks)-few
	return w
}

// String says in words what the rank waits for.
func (w Wait) String() string {
	switch {
	case w.For == "":
		return "nothing"
	case len(w.Ranks) == 0:
		return w.For
	case w.More > 0:
		return fmt.Sprintf("%s %v and %d more", w.For, w.Ranks, w.More)
	}
	return fmt.Sprintf("%s %v", w.For, w.Ranks)
}
