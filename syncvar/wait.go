package syncvar

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Wait describes what a rank in a call waits for, as far as it knows.
type Wait struct {
	Phased bool           // the rank is in a communication phase
	Phase  uint64         // the number of the phase
	For    string         // for example "the lists of ranks"; empty if the rank does not wait
	Ranks  []dimmnet.Rank // the first few ranks for which it waits, in increasing order
	More   int            // for how many ranks it waits in addition to Ranks
	Owners []Holding      // the first few variables that the call wants, by ID
	Change bool           // it waits for a change that any other rank can make
}

// Holding names the last known owner of a variable, the rank with its newest version.
type Holding struct {
	ID    ID
	Owner dimmnet.Rank
}

// WaitRanks and WaitOwners bound the slices of a Wait.
const (
	WaitRanks  = 8
	WaitOwners = 4
)

// From returns w with For set to what, and with Ranks and More set from ranks, which From sorts.
func (w Wait) From(what string, ranks []dimmnet.Rank) Wait {
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	few := min(len(ranks), WaitRanks)
	w.For, w.Ranks, w.More = what, append(w.Ranks[:0], ranks[:few]...), len(ranks)-few
	return w
}

// String describes what the rank waits for.
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
