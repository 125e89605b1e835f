package syncvar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Fanout is the number of ranks to which a rank of a tree sends the same data. A rank passes data
// on while it receives them, so large data move fastest along a chain, and a single word moves
// fastest in a wide tree. With a fan-out of 1, 2, 3, 4, 8 and 63, matmul of 512 x 512 spends 58,
// 61, 66, 70, 87 and 395 ms in Acquire on 64 simulated nodes; on 8 nodes 56, 59, 59, 58, 51 and
// 51 ms. Two is the smallest fan-out with which the depth of the tree is logarithmic.
const Fanout = 2

// Copy is a rank of a copyset and the version of its copy.
type Copy struct {
	Rank    dimmnet.Rank
	Version Version
}

// State is what the replicated table knows of a variable.
type State struct {
	Version Version      // the number of exclusive tenures granted so far
	Written Version      // the last version that changed the content
	Owner   dimmnet.Rank // the rank of the last tenure; its copy is the newest
	Updated Version      // the last version that an Update has spread
	Copies  []Copy       // the copyset, by rank
	open    bool         // it is not known yet whether tenure Version changed the content
}

// Table is the replicated state of all variables. The zero Table is the state before any Acquire.
type Table struct {
	first  Version // of every variable before its first tenure
	states []State
	open   []ID // variables whose State is open

	needs []need         // reused
	ranks []dimmnet.Rank // reused
}

// StartAt makes the versions of all variables start at first instead of 0, as if rank 0 had left
// them unchanged in so many tenures. Tests start near the end of a counter in this way.
func (t *Table) StartAt(first Version) { t.first = first }

// State returns the state of a variable.
func (t *Table) State(id ID) State {
	if int(id) >= len(t.states) {
		return State{Version: t.first}
	}
	return t.states[id]
}

// Source returns the owner of a variable, and whether the copy of rank lacks the newest changes.
func (t *Table) Source(id ID, rank dimmnet.Rank) (owner dimmnet.Rank, lacks bool) {
	if int(id) >= len(t.states) {
		return 0, false
	}
	s := &t.states[id]
	return s.Owner, s.Lacks(rank)
}

// Version returns the version of a variable.
func (t *Table) Version(id ID) Version {
	if int(id) >= len(t.states) {
		return t.first
	}
	return t.states[id].Version
}

// Changed reports what has happened to a variable since a version: tenure says that an exclusive
// tenure has been granted, and content that one is known to have changed the content.
func (t *Table) Changed(id ID, since Version) (tenure, content bool) {
	s := t.State(id)
	return s.Version > since, s.Written > since
}

func (t *Table) at(id ID) *State {
	for int(id) >= len(t.states) {
		t.states = append(t.states, State{Version: t.first})
	}
	return &t.states[id]
}

func (s *State) have(rank dimmnet.Rank) Version {
	if i, ok := s.find(rank); ok {
		return s.Copies[i].Version
	}
	return 0
}

// fewCopies is the number of copies up to which looking at all is faster than a search.
const fewCopies = 8

func (s *State) find(rank dimmnet.Rank) (int, bool) {
	if len(s.Copies) <= fewCopies {
		for i := range s.Copies {
			if at := s.Copies[i].Rank; at >= rank {
				return i, at == rank
			}
		}
		return len(s.Copies), false
	}
	return slices.BinarySearchFunc(s.Copies, rank, func(c Copy, r dimmnet.Rank) int { return cmp.Compare(c.Rank, r) })
}

func (s *State) setCopy(rank dimmnet.Rank, v Version) {
	i, ok := s.find(rank)
	if !ok {
		s.Copies = slices.Insert(s.Copies, i, Copy{Rank: rank})
	}
	s.Copies[i].Version = v
}

// Settle records, from the lists of a new phase, which of the last exclusive tenures changed their
// variable. It fails if a list names a clean variable that its rank did not hold exclusively.
func (t *Table) Settle(lists []List) error {
	for r := range lists {
		if err := t.settle(dimmnet.Rank(r), lists[r].Clean); err != nil {
			return err
		}
	}
	t.SettleAll()
	return nil
}

func (t *Table) settle(rank dimmnet.Rank, clean []ID) error {
	for _, id := range clean {
		if int(id) >= len(t.states) || !t.states[id].open || t.states[id].Owner != rank {
			return fmt.Errorf("syncvar: rank %d left variable %d unchanged, but did not hold it", rank, id)
		}
		t.states[id].open = false
	}
	return nil
}

// SettleAll is Settle for lists that name no clean variable.
func (t *Table) SettleAll() {
	for _, id := range t.open {
		if s := &t.states[id]; s.open {
			s.open = false
			s.Written = s.Version
		}
	}
	t.open = t.open[:0]
}

// Acquisitions appends to ts the transfers that make the copies of all granted ranks current.
func (t *Table) Acquisitions(ts []Transfer, lists []List, granted []bool) []Transfer {
	t.needs = t.needs[:0]
	for r := range lists {
		if granted[r] {
			t.addNeeds(dimmnet.Rank(r), lists[r].Exclusive, lists[r].Shared)
		}
	}
	return t.appendTrees(ts)
}

// addNeeds notes which of the variables a granted rank lacks.
func (t *Table) addNeeds(rank dimmnet.Rank, sets ...[]ID) {
	for _, ids := range sets {
		for _, id := range ids {
			if int(id) < len(t.states) && t.states[id].Lacks(rank) {
				t.needs = append(t.needs, need{id, rank})
			}
		}
	}
}

// appendTrees appends the transfers for all needs.
func (t *Table) appendTrees(ts []Transfer) []Transfer {
	needs := t.needs
	slices.SortStableFunc(needs, func(a, b need) int { return cmp.Compare(a.id, b.id) })
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

type need struct {
	id   ID
	rank dimmnet.Rank
}

// Lacks reports whether the copy of a rank lacks the newest changes of the variable.
func (s *State) Lacks(rank dimmnet.Rank) bool { return rank != s.Owner && s.have(rank) < s.Written }

// Updates appends to ts the transfers of an Update: every variable that was written since the last
// Update goes to all ranks of its copyset.
func (t *Table) Updates(ts []Transfer) []Transfer {
	for id := range t.states {
		s := &t.states[id]
		if s.Written <= s.Updated {
			continue
		}
		ranks := t.ranks[:0]
		for _, c := range s.Copies {
			if s.Lacks(c.Rank) {
				ranks = append(ranks, c.Rank)
			}
		}
		t.ranks = ranks
		ts = t.appendTree(ts, ID(id), ranks)
	}
	return ts
}

// appendTree appends the transfers of variable id to all ranks in ranks. Ranks whose copies have
// the same version get the same data. They form a tree below the owner, in the given order.
func (t *Table) appendTree(ts []Transfer, id ID, ranks []dimmnet.Rank) []Transfer {
	s := &t.states[id]
	if len(ranks) <= Fanout { // the owner serves all ranks
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

// Apply records the grants of a phase: copies, owners and versions.
func (t *Table) Apply(lists []List, granted []bool) {
	for r := range lists {
		if granted[r] {
			t.apply(dimmnet.Rank(r), lists[r].Shared, lists[r].Exclusive)
		}
	}
}

func (t *Table) apply(rank dimmnet.Rank, shared, exclusive []ID) {
	for _, id := range shared {
		t.Grant(rank, id, Shared)
	}
	for _, id := range exclusive {
		t.Grant(rank, id, Exclusive)
	}
}

// Grant records that a rank has been granted a variable.
func (t *Table) Grant(rank dimmnet.Rank, id ID, access Access) {
	s := t.at(id)
	if access == Exclusive {
		s.Version++
		s.Owner = rank
		s.open = true
		t.open = append(t.open, id)
	}
	s.setCopy(rank, s.Version)
}

// ApplyUpdate records that an Update is complete.
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

// ApplyPart records a phase that only moved data: the receivers of ts now have current copies.
func (t *Table) ApplyPart(ts []Transfer) {
	for i := range ts {
		s := t.at(ts[i].ID)
		s.setCopy(ts[i].To, s.Version)
	}
}

// Clone returns a copy of t.
func (t *Table) Clone() *Table {
	c := &Table{first: t.first, states: slices.Clone(t.states), open: slices.Clone(t.open)}
	for i := range c.states {
		c.states[i].Copies = slices.Clone(c.states[i].Copies)
	}
	return c
}

// Extrapolate adds the changes from before to t, made by a cycle of phases, so many times more. It
// must not be the first cycle: the owners and copysets of before and t are the same.
func (t *Table) Extrapolate(before *Table, times uint64) {
	later := func(now *Version, then Version) { *now += Version(times) * (*now - then) }
	for id := range t.states {
		now, then := &t.states[id], &before.states[id]
		later(&now.Version, then.Version)
		later(&now.Written, then.Written)
		later(&now.Updated, then.Updated)
		for i := range now.Copies {
			later(&now.Copies[i].Version, then.Copies[i].Version)
		}
	}
}

// String returns a line for each variable, with its versions, owner and copyset.
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
