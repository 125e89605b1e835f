package tree

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// A schedule is what all ranks say in a phase that travels over the tree: their lists, without the
// number of the phase. All ranks know the schedules of all phases. Programs repeat, so in every
// phase each rank expects the schedule that followed the last ones before (course.go). A rank
// whose list is as expected sends a mark in its place. A bundle of marks is a single entry,
// however many ranks there are. Where some ranks deviate, only their lists travel.
type schedule struct {
	key   string   // a bundle by rank, without entries for ranks with the lists of their parents
	texts [][]byte // by rank: its encoded list; nil if all ranks say the same
	first []byte   // the encoded list of rank 0
	only  syncvar.List
	call  syncvar.Call  // the call in which all ranks are, unless it is Acquire; else 0
	since uint64        // the first phase that had it
	last  atomic.Uint64 // the last one

	once  sync.Once
	lists []syncvar.List // see all
	grant []bool         // see granted
	fault error          // two ranks wait for all ranks in calls that can never complete
	apart bool           // syncvar.Apart
	alike bool           // all ranks have made the same declarations
	names int            // how many variables all lists name, each counted as often as it is named
	pairs int            // see wide
	nodes int

	division // guarded by the mutex of the Replica
}

// uniform reports whether all ranks say the same.
func (s *schedule) uniform() bool { return s.texts == nil }

// text returns the encoded list of a rank.
func (s *schedule) text(r dimmnet.Rank) []byte {
	if s.texts == nil {
		return s.first
	}
	return s.texts[r]
}

// all returns the lists by rank. Engines share them: nobody changes them.
func (s *schedule) all() []syncvar.List {
	s.once.Do(func() {
		for len(s.lists) < s.nodes { // all ranks say the same
			s.lists = append(s.lists, s.only)
		}
		s.grant = syncvar.Grant(nil, 0, s.lists)
		s.judge()
	})
	return s.lists
}

// judge sets what follows from the lists in any phase.
func (s *schedule) judge() {
	if _, s.fault = agreement.Completed(s.lists); s.fault == nil {
		if err := syncvar.CheckFence(s.lists); err != nil {
			s.fault = fmt.Errorf("phase: %w", err)
		}
	}
	s.apart, s.alike = syncvar.Apart(s.lists), true
	readers := make(map[syncvar.ID]int)
	for i := range s.lists {
		l, first := &s.lists[i], &s.lists[0]
		s.alike = s.alike && l.Declared == first.Declared && l.Digest == first.Digest
		s.names += l.Entries()
		for _, ids := range [...][]syncvar.ID{l.Shared, l.Exclusive} {
			for _, id := range ids {
				readers[id]++
			}
		}
	}
	for i := range s.lists {
		common := 0
		for _, ids := range [...][]syncvar.ID{s.lists[i].Shared, s.lists[i].Exclusive} {
			for _, id := range ids {
				if readers[id] > 1 {
					common++
				}
			}
		}
		s.pairs = max(s.pairs, 1+common)
	}
}

// wide reports whether there are too few words to number hops by peer (movement.NewMulticasts).
// All variables that go from one rank to only one other are one multicast. So between two ranks
// there are at most pairs hops: that one, and one for each variable that other ranks want, too.
func (s *schedule) wide(words int) bool {
	s.all()
	return s.nodes*s.pairs > words
}

// granted returns, by rank, whether a phase with this schedule grants the rank's list, unless the
// phase can move only a part of the data. It must not depend on the number of the phase. So the
// lowest rank comes first among lists that have waited equally long; once it wins, it has waited
// less the next time.
func (s *schedule) granted() []bool {
	s.all()
	return s.grant
}

// A list that travels over the tree has its age in place of its phase, so that equal wants have
// equal bytes. Decoded, it is a list of phase scheduled.
const scheduled = 1 << 40

func appendScheduled(b []byte, l *syncvar.List) []byte {
	sent := *l
	sent.Phase, sent.Since = l.Phase-l.Since, 0
	return syncvar.AppendList(b, &sent)
}

func decodeScheduled(of dimmnet.Rank, text []byte) (syncvar.List, error) {
	l, err := syncvar.DecodeList(text)
	if err == nil && (l.Since != 0 || l.Phase > scheduled) {
		err = fmt.Errorf("syncvar: list: age %d in a tree, want %d", l.Phase-l.Since, l.Phase)
	}
	if err != nil {
		return l, fmt.Errorf("phase: list of rank %d: %w", of, err)
	}
	l.Phase, l.Since = scheduled, scheduled-l.Phase
	return l, nil
}

// markByte begins a mark, which stands for the list that is expected of a rank. No list begins
// with this byte. Behind it is how many phases ago the expected schedule occurred (uvarint).
const markByte = 0x7f

func appendMark(b []byte, lag int) []byte {
	return binary.AppendUvarint(append(b, markByte), uint64(lag))
}

// newSchedule decodes a schedule of all ranks of a tree.
func newSchedule(key string, tree ringbuf.Tree) (*schedule, error) {
	s := &schedule{key: key, nodes: tree.Nodes}
	b := []byte(key)
	entries := 0
	err := eachEntry(b, func(of uint64, text []byte) error {
		l, err := decodeScheduled(dimmnet.Rank(of), text)
		if err != nil {
			return err
		}
		if entries++; entries == 1 {
			s.first, s.only, s.call = text, l, l.Call
			return nil
		}
		if l.Call != s.call {
			s.call = syncvar.Acquire
		}
		if entries == 2 {
			s.texts, s.lists = make([][]byte, tree.Nodes), make([]syncvar.List, tree.Nodes)
			for r := range s.texts {
				s.texts[r], s.lists[r] = s.first, s.only
			}
		}
		for r := range tree.Subtree(dimmnet.Rank(of)) {
			s.texts[r], s.lists[r] = text, l
		}
		return nil
	})
	if s.call == syncvar.Acquire {
		s.call = 0
	}
	return s, err
}

// scheduleOf returns the schedule of a bundle of all ranks.
func (p *Protocol) scheduleOf(from dimmnet.Rank, bundle []byte) (*schedule, error) {
	if expected, _ := p.course.expected(); expected != nil {
		if p.scratch = appendEntry(p.scratch[:0], 0, p.mark); bytes.Equal(bundle, p.scratch) {
			if !bytes.Equal(p.sent, p.mark) {
				return nil, fmt.Errorf("phase: rank %d says that all ranks do as %d phases before, and rank %d has sent %x", from, p.course.lag, p.m.Rank, p.text)
			}
			p.m.Charge(dimmnet.Entry, 1)
			return expected, nil
		}
	}
	s, err := p.replica.decode(bundle, p)
	if err != nil {
		return nil, fmt.Errorf("phase: bundle of rank %d: %w", from, err)
	}
	if own := s.text(p.m.Rank); !bytes.Equal(own, p.text) {
		return nil, fmt.Errorf("phase: rank %d sent %x as the list of rank %d, which has sent %x", from, own, p.m.Rank, p.text)
	}
	p.m.Charge(dimmnet.Entry, countEntries(bundle))
	return s, nil
}

// keyOf returns the key of the schedule of a bundle of all ranks.
func (p *Protocol) keyOf(bundle []byte) (key []byte, err error) {
	expected, lag := p.course.expected()
	var texts [][]byte
	err = eachEntry(bundle, func(of uint64, text []byte) error {
		if of >= uint64(p.tree.Nodes) || key == nil && texts == nil && of != 0 {
			return fmt.Errorf("a list of rank %d, which is not due", of)
		}
		marked := len(text) > 0 && text[0] == markByte
		if marked && (expected == nil || !bytes.Equal(text, appendMark(nil, lag))) {
			return fmt.Errorf("rank %d does as %x, want as %d phases before", of, text, lag)
		}
		if texts == nil && !marked && len(bundle) == len(appendEntry(nil, 0, text)) {
			key = bundle // the only entry
			return nil
		}
		if texts == nil {
			texts = make([][]byte, p.tree.Nodes)
		}
		for r := range p.tree.Subtree(dimmnet.Rank(of)) {
			if texts[r] = text; marked {
				texts[r] = expected.text(r)
			}
		}
		return nil
	})
	for r, text := range texts {
		rank := dimmnet.Rank(r)
		if parent, ok := p.tree.Parent(rank); !ok || !bytes.Equal(text, texts[parent]) {
			key = appendEntry(key, rank, text)
		}
	}
	return key, err
}
