package syncvar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Fanout is how many ranks one rank serves with the same data; further ones
// are served by those. Whoever passes data on does so between receiving them,
// so bulk data want a chain and a single word a wide tree. Two keeps the depth
// logarithmic: matmul of 512 x 512 on 64 simulated nodes spends in Acquire
// 58, 61, 66, 70, 87, 395 ms with a fan-out of 1, 2, 3, 4, 8 and 63; on 8 nodes
// 56, 59, 59, 58, 51, 51 ms.
const Fanout = 2

// Copy says up to which version a rank's copy of a variable goes.
type Copy struct {
	Rank    dimmnet.Rank
	Version Version
}

// State is what every rank knows of a variable.
type State struct {
	Version Version      // exclusive tenures granted so far
	Written Version      // the last of them that changed anything
	Owner   dimmnet.Rank // of the last of them; its copy is the newest
	Updated Version      // the last version that an Update has spread
	Copies  []Copy       // the copyset: ranks that have acquired it, by rank
	open    bool         // whether Version changed anything is not known yet
}

// Table is the replicated knowledge of all variables. The zero Table knows
// that nothing was acquired yet.
type Table struct {
	states []State
	open   []ID // exclusive tenures whose outcome the next lists tell

	needs []need         // reused
	ranks []dimmnet.Rank // reused
}

// State returns what is known of a variable.
func (t *Table) State(id ID) State {
	if int(id) >= len(t.states) {
		return State{}
	}
	return t.states[id]
}

func (t *Table) at(id ID) *State {
	if int(id) >= len(t.states) {
		t.states = append(t.states, make([]State, int(id)+1-len(t.states))...)
	}
	return &t.states[id]
}

// have is the version of rank's copy.
func (s *State) have(rank dimmnet.Rank) Version {
	if i, ok := s.find(rank); ok {
		return s.Copies[i].Version
	}
	return 0
}

func (s *State) find(rank dimmnet.Rank) (int, bool) {
	return slices.BinarySearchFunc(s.Copies, rank, func(c Copy, r dimmnet.Rank) int { return cmp.Compare(c.Rank, r) })
}

func (s *State) setCopy(rank dimmnet.Rank, v Version) {
	i, ok := s.find(rank)
	if !ok {
		s.Copies = slices.Insert(s.Copies, i, Copy{Rank: rank})
	}
	s.Copies[i].Version = v
}

// Settle learns from the lists of a new phase which of the last exclusive
// tenures changed their variable. An error means that a rank called clean what
// it did not hold.
func (t *Table) Settle(lists []List) error {
	for r := range lists {
		for _, id := range lists[r].Clean {
			if int(id) >= len(t.states) || !t.states[id].open || t.states[id].Owner != dimmnet.Rank(r) {
				return fmt.Errorf("syncvar: rank %d left variable %d unchanged, but did not hold it", r, id)
			}
			t.states[id].open = false
		}
	}
	for _, id := range t.open {
		if s := &t.states[id]; s.open {
			s.open = false
			s.Written = s.Version
		}
	}
	t.open = t.open[:0]
	return nil
}

// Acquisitions lists the transfers that the granted ranks need before they may
// go on: for each variable, what is newer than their copy.
func (t *Table) Acquisitions(lists []List, granted []bool) []Transfer {
	needs := t.needs[:0]
	for r := range lists {
		if !granted[r] {
			continue
		}
		for _, ids := range [...][]ID{lists[r].Exclusive, lists[r].Shared} {
			for _, id := range ids {
				if int(id) < len(t.states) && t.states[id].lacks(dimmnet.Rank(r)) {
					needs = append(needs, need{id, dimmnet.Rank(r)})
				}
			}
		}
	}
	t.needs = needs
	slices.SortStableFunc(needs, func(a, b need) int { return cmp.Compare(a.id, b.id) })
	var ts []Transfer
	for len(needs) > 0 {
		id, ranks := needs[0].id, t.ranks[:0]
		for ; len(needs) > 0 && needs[0].id == id; needs = needs[1:] {
			ranks = append(ranks, needs[0].rank)
		}
		t.ranks = ranks
		ts = t.appendTree(ts, id, ranks)
	}
	return ts
}

// need is a rank's of a variable.
type need struct {
	id   ID
	rank dimmnet.Rank
}

// lacks says whether rank's copy misses something that was written.
func (s *State) lacks(rank dimmnet.Rank) bool {
	return rank != s.Owner && s.have(rank) < s.Written
}

// Updates lists the transfers of an Update: every variable that was written
// since the last one goes to all of its copyset.
func (t *Table) Updates() []Transfer {
	var ts []Transfer
	for id := range t.states {
		s := &t.states[id]
		if s.Written <= s.Updated {
			continue
		}
		var ranks []dimmnet.Rank
		for _, c := range s.Copies {
			if s.lacks(c.Rank) {
				ranks = append(ranks, c.Rank)
			}
		}
		ts = t.appendTree(ts, ID(id), ranks)
	}
	return ts
}

// appendTree appends the transfers of one variable to ranks. Those that have
// the same version get the same data, and so can pass it on: they form a tree
// under the owner in the order given.
func (t *Table) appendTree(ts []Transfer, id ID, ranks []dimmnet.Rank) []Transfer {
	s := &t.states[id]
	if len(ranks) <= Fanout { // the owner serves them all
		for _, r := range ranks {
			ts = append(ts, Transfer{ID: id, From: s.Owner, To: r, Since: s.have(r)})
		}
		return ts
	}
	groups := make(map[Version][]dimmnet.Rank, 1)
	for _, r := range ranks {
		have := s.have(r)
		group := groups[have]
		from, relay := s.Owner, false
		if i := len(group); i >= Fanout {
			from, relay = group[i/Fanout-1], true
		}
		groups[have] = append(group, r)
		ts = append(ts, Transfer{ID: id, From: from, To: r, Since: have, Relay: relay})
	}
	return ts
}

// Apply moves the table past an acquisition phase: copies, owners, versions.
func (t *Table) Apply(lists []List, granted []bool) {
	for r := range lists {
		if !granted[r] {
			continue
		}
		rank := dimmnet.Rank(r)
		for _, id := range lists[r].Shared {
			s := t.at(id)
			s.setCopy(rank, s.Version)
		}
		for _, id := range lists[r].Exclusive {
			s := t.at(id)
			s.Version++
			s.Owner = rank
			s.setCopy(rank, s.Version)
			s.open = true
			t.open = append(t.open, id)
		}
	}
}

// ApplyUpdate moves the table past an update phase.
func (t *Table) ApplyUpdate() {
	for id := range t.states {
		s := &t.states[id]
		if s.Written <= s.Updated {
			continue
		}
		s.Updated = s.Written
		for i := range s.Copies {
			s.Copies[i].Version = s.Version
		}
	}
}

// ApplyPart moves the table past a phase that only brought data: whoever got them
// lacks nothing of those variables any more.
func (t *Table) ApplyPart(ts []Transfer) {
	for i := range ts {
		s := t.at(ts[i].ID)
		s.setCopy(ts[i].To, s.Version)
	}
}

// String prints a line a variable: its version, owner and copyset.
func (t *Table) String() string {
	var b strings.Builder
	for id := range t.states {
		s := &t.states[id]
		fmt.Fprintf(&b, "%d: version %d written %d owner %d copies", id, s.Version, s.Written, s.Owner)
		for _, c := range s.Copies {
			fmt.Fprintf(&b, " %d@%d", c.Rank, c.Version)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
