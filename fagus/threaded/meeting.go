package threaded

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// meetingArity is the number of children of a rank in the tree over which ranks meet. Without
// Config.Trees, and with up to flatMeeting ranks, all ranks are children of rank 0: a level of the
// tree costs two wake-ups each way, as much as 20 arrivals. Microseconds of a Barrier on DIMMnet-1,
// with rank 0 as the only parent and with 12 children each (FAGUS_LONG=2 go test -run MeetingTime):
//
//	nodes             32        64        128        256
//	polling     108  134   179  184   324  265   604  547
//	notices     674  533  1202  663  2254  775  4383 1165
const (
	meetingArity = 12
	flatMeeting  = 32
)

// meeting is where this rank meets its children: the ranks that wait until all have arrived.
type meeting struct {
	tree    ringbuf.Tree
	parent  dimmnet.Rank   // rank 0 at rank 0
	ranks   []dimmnet.Rank // this rank and its children
	arrived []message      // by index in ranks: the arrive message
	words   [][]uint64     // by index in ranks: the words of ranks below, if there are several

	call    syncvar.Call // the call in which this rank waits for all ranks; else 0
	last    dimmnet.Rank // the rank that was the last to arrive at the last meeting
	reduced []uint64     // by rank: the words of the last Reduce that have arrived
	ended   bool         // all ranks are in End
}

func meetingTree(nodes int, trees bool) ringbuf.Tree {
	if trees && nodes > flatMeeting {
		return ringbuf.Tree{Nodes: nodes, Arity: meetingArity}
	}
	return ringbuf.Tree{Nodes: nodes, Arity: max(nodes-1, 1)}
}

func newMeeting(rank dimmnet.Rank, tree ringbuf.Tree) meeting {
	m := meeting{tree: tree}
	m.parent, _ = m.tree.Parent(rank)
	m.ranks = append([]dimmnet.Rank{rank}, m.tree.Children(rank)...)
	m.arrived, m.words = make([]message, len(m.ranks)), make([][]uint64, len(m.ranks))
	return m
}

// index returns the index in ranks of this rank or a child; ok is false for others.
func (m *meeting) index(r dimmnet.Rank) (i int, ok bool) {
	if r == m.ranks[0] {
		return 0, true
	}
	if parent, ok := m.tree.Parent(r); !ok || parent != m.ranks[0] {
		return 0, false
	}
	return int(r-m.ranks[1]) + 1, true
}

// arrive sends the arrival of this rank. A rank with children sends it to itself.
func (e *Engine) arrive(call syncvar.Call, word uint64) error {
	e.meeting.call, e.meeting.reduced = call, nil
	m := message{op: arrive, call: call, word: word}
	if e.cfg.Trees {
		m.rank = e.rank
	}
	e.declare(&m)
	to := e.meeting.parent
	if len(e.meeting.ranks) > 1 {
		to = e.rank
	}
	return e.queue(outgoing{to: to, m: m})
}

// arrived records that this rank, or a child and all ranks below it, arrived at the meeting. When
// all have, it sends that to the parent. Rank 0 sends leave messages.
func (e *Engine) arrived(from dimmnet.Rank, m message) error {
	i, ok := e.meeting.index(from)
	if !ok || e.meeting.arrived[i].op != 0 || len(e.meeting.ranks) == 1 && e.nodes > 1 {
		return fmt.Errorf("rank %d sent an arrival in %v, which is not due", from, m.call)
	}
	if err := e.checkWords(i, &m); err != nil {
		return err
	}
	e.meeting.arrived[i] = m
	here := 0
	for r, other := range e.meeting.arrived {
		if other.op == 0 {
			continue
		}
		here++
		first, second := e.meeting.ranks[r], from
		a, b := other.call, m.call
		if second < first {
			first, second, a, b = second, first, b, a
		}
		if err := syncvar.CheckMeeting(first, a, second, b); err != nil {
			return err
		}
	}
	if here < len(e.meeting.ranks) {
		return nil
	}
	if err := e.checkDeclarations(); err != nil {
		return err
	}
	last := from
	if e.cfg.Trees { // then the message names the last rank below from
		last = m.rank
	}
	return e.allHere(m.call, last)
}

// allHere reports to the parent that this rank and all below it have arrived, last at the end.
func (e *Engine) allHere(call syncvar.Call, last dimmnet.Rank) error {
	var words []uint64
	if call == syncvar.Reduce {
		words = e.gathered()
	}
	own := e.meeting.arrived[0]
	clear(e.meeting.arrived)
	if e.rank != 0 {
		own.rank, own.word = last, 0
		return e.queue(outgoing{to: e.meeting.parent, m: own, words: words})
	}
	if words != nil {
		e.meeting.reduced = make([]uint64, e.nodes)
		e.place(0, words)
	}
	return e.queue(outgoing{to: e.rank, m: message{op: leave, call: call, rank: last}})
}

// gathered returns the words of this rank and of all ranks below it: first its own, then the words
// of each child's subtree.
func (e *Engine) gathered() (words []uint64) {
	for i := range e.meeting.ranks {
		if below := e.meeting.words[i]; below != nil {
			words = append(words, below...)
		} else {
			words = append(words, e.meeting.arrived[i].word)
		}
		e.meeting.words[i] = nil
	}
	return words
}

// place stores gathered words, which begin with r's and those below it, by rank, and returns the
// rest.
func (e *Engine) place(r dimmnet.Rank, words []uint64) []uint64 {
	e.meeting.reduced[r] = words[0]
	words = words[1:]
	for _, c := range e.meeting.tree.Children(r) {
		words = e.place(c, words)
	}
	return words
}

// checkWords checks that a child that arrives in a Reduce has sent the words of all ranks below
// it, and that a child in another call has sent none.
func (e *Engine) checkWords(i int, m *message) error {
	want := 0
	if size := e.meeting.tree.Size(e.meeting.ranks[i]); i > 0 && m.call == syncvar.Reduce && size > 1 {
		want = size
	}
	if got := len(e.meeting.words[i]); got != want || want > 0 && m.word != 0 {
		return fmt.Errorf("rank %d sent an arrival in %v, after %d of %d words", e.meeting.ranks[i], m.call, got, want)
	}
	return nil
}

// receiveWords adds words of a Reduce: a child sends the words of the ranks below it, and the
// parent sends the words of all ranks.
func (e *Engine) receiveWords(in incoming) error {
	words, most := &e.meeting.reduced, e.nodes
	if i, ok := e.meeting.index(in.from); ok && i > 0 && e.meeting.arrived[i].op == 0 {
		words, most = &e.meeting.words[i], e.meeting.tree.Size(in.from)
	} else if in.from != e.meeting.parent || e.rank == 0 || e.meeting.call != syncvar.Reduce {
		most = 0
	}
	have, n := len(*words), len(in.body)/dimmnet.WordBytes
	if most <= 1 {
		return fmt.Errorf("rank %d sent words of a Reduce, which are not due", in.from)
	}
	if n == 0 || len(in.body)%dimmnet.WordBytes != 0 || in.head.Addr != uint64(have) || have+n > most {
		return fmt.Errorf("rank %d sent %d bytes of words at index %d, after %d of %d words", in.from, len(in.body), in.head.Addr, have, most)
	}
	for b := in.body; len(b) > 0; b = b[dimmnet.WordBytes:] {
		*words = append(*words, binary.LittleEndian.Uint64(b))
	}
	return nil
}

func (e *Engine) checkDeclarations() error {
	for i, rank := range e.meeting.ranks[1:] {
		m := &e.meeting.arrived[i+1]
		if err := e.checkDeclared(rank, m); err != nil {
			return err
		}
		if err := e.space.CheckCount(e.rank, rank, m.declared); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) declare(m *message) {
	m.declared = uint32(e.space.Declared())
	m.digest = e.space.Digest(e.space.Declared())
}

// checkDeclared compares the declarations in a message of rank r with the declarations of this
// rank, if this rank has made as many. A forwarded request contains no declarations.
func (e *Engine) checkDeclared(r dimmnet.Rank, m *message) error {
	if m.declared == 0 || int(m.declared) > e.space.Declared() {
		return nil
	}
	if err := e.space.CheckSame(e.rank, r, e.agreed[r], m.declared, m.digest); err != nil {
		return err
	}
	e.agreed[r] = max(e.agreed[r], m.declared)
	return nil
}

func (e *Engine) left(from dimmnet.Rank, m message) error {
	if from != e.meeting.parent || m.call != e.meeting.call {
		return fmt.Errorf("rank %d sent that all ranks are in %v, while this rank waits in %v", from, m.call, e.meeting.call)
	}
	if m.call == syncvar.Reduce && len(e.meeting.reduced) != e.nodes {
		return fmt.Errorf("rank %d sent that all ranks are in %v, after %d of %d words", from, m.call, len(e.meeting.reduced), e.nodes)
	}
	e.meeting.call, e.meeting.last = 0, m.rank
	for _, child := range e.meeting.ranks[1:] {
		if err := e.queue(outgoing{to: child, m: m, words: e.meeting.reduced}); err != nil {
			return err
		}
	}
	if m.call == syncvar.End {
		e.meeting.ended = true
		e.wake(send)
		e.wake(process)
	}
	e.wake(user)
	return nil
}
