package tree

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// Lines are the words in which short bundles travel.
//
// A bundle that is a single mark goes as one word: a Store instead of a slot. So where all lists
// are as expected, the ranks agree by one word up and one down the tree. Other short bundles need
// no slot, either.
//
// Every rank's LLCM has a line for each neighbour, which that neighbour writes once in every phase:
//
//	word 0    a signal: the bundle is a single mark, or in this line, or follows through the ring
//	word 1..  the words of a Reduce behind a mark, or the bundle
//
// One line is enough. A child writes its line at the parent again when it has the parent's bundle
// of the phase before. The parent sends that bundle when it has read the lines of all children. A
// parent writes its line at a child again when it has read the child's next signal.
type Lines struct {
	base dimmnet.Offset
	room int // the number of bytes in a line behind the signal
}

// The lines of all neighbours may take one part in markShare of the LLCM. More than markRoom bytes
// go through the ring.
const (
	markShare = 32
	markRoom  = 56 * dimmnet.WordBytes
)

// PlaceLines places the lines at the top of the LLCM, and reduces limits.LLCM by their size.
func PlaceLines(limits *dimmnet.Limits) (m Lines) {
	const lines = Arity + 1
	line := min(limits.LLCM/markShare/lines, limits.Block, markRoom+dimmnet.WordBytes) &^ (dimmnet.WordBytes - 1)
	line = max(line, dimmnet.WordBytes)
	limits.LLCM = (limits.LLCM - lines*line) &^ (dimmnet.WordBytes - 1)
	return Lines{dimmnet.Offset(limits.LLCM), line - dimmnet.WordBytes}
}

// At returns the offset of word i of the line, in owner's LLCM, that peer writes.
func (m *Lines) At(tree ringbuf.Tree, owner, peer dimmnet.Rank, i int) dimmnet.Offset {
	line := m.room + dimmnet.WordBytes
	return m.base + dimmnet.Offset(tree.Index(owner, peer)*line+i*dimmnet.WordBytes)
}

// signal is word 0 of a line:
//
//	lag 16 | bytes 16 | follows 1 | reserved 6 | set 1 | phase 24
//
// The low bits come first. If a bundle follows, the lag and the number of bytes behind the word
// are 0. If the bundle is in the line, only the lag is 0. A line is written in every phase, so no
// word is old enough that its phase is taken for the present one.
type signal struct {
	lag     int // of the mark
	bytes   int // of words of a Reduce, or of the bundle
	follows bool
}

// valid reports whether s is a signal of a line with so many bytes.
func (s signal) valid(room int) bool {
	switch {
	case s.follows:
		return s.lag == 0 && s.bytes == 0
	case s.lag == 0:
		return s.bytes > 0 && s.bytes <= room
	}
	return s.bytes <= room && s.bytes%dimmnet.WordBytes == 0
}

const signalShift = 40

func (s signal) encode(phase uint64) uint64 {
	w := phase<<signalShift | 1<<(signalShift-1) | uint64(s.bytes)<<16 | uint64(s.lag)
	if s.follows {
		w |= 1 << 32
	}
	return w
}

// decodeSignal decodes a word from the wire. ok is false if the word is of another phase.
func decodeSignal(w, phase uint64, room int) (s signal, ok bool, err error) {
	if w>>signalShift != phase&ringbuf.PhaseMask || w&(1<<(signalShift-1)) == 0 {
		return s, false, nil
	}
	s = signal{lag: int(w & 0xffff), bytes: int(w >> 16 & 0xffff), follows: w>>32&1 == 1}
	if s.encode(phase) != w || !s.valid(room) {
		return s, false, fmt.Errorf("invalid signal %#x", w)
	}
	return s, true, nil
}

// signals exchanges the signals of a phase with the neighbours in the tree.
type signals struct {
	due    []int       // the indexes in peers of the neighbours whose signals have not arrived
	out    []outSignal // the signals that are not posted; the first of them is next
	bundle []byte      // the last one that came as a signal
}

type outSignal struct {
	to    dimmnet.Rank
	word  uint64
	words []byte // to be posted before word
}

func (s *signals) begin(peers int) {
	s.due = s.due[:0]
	for i := range peers {
		s.due = append(s.due, i)
	}
}

func (s *signals) pending() bool { return len(s.due) > 0 || len(s.out) > 0 }

// sendBundle sends a bundle that begins with the entry of rank top to a neighbour. Its last n
// bytes are the words of a Reduce. The caller must not change b in this phase.
func (p *Protocol) sendBundle(to, top dimmnet.Rank, b []byte, n int) {
	out := outSignal{to: to}
	if p.isMark(top, b[:len(b)-n]) && n <= p.lines.room {
		out.word = signal{lag: p.course.lag, bytes: n}.encode(p.m.Phase)
		out.words = b[len(b)-n:]
	} else if len(b) <= p.lines.room {
		out.word = signal{bytes: len(b)}.encode(p.m.Phase)
		out.words = append(slices.Clip(b), make([]byte, movement.Padded(len(b))-len(b))...)
		p.m.Counts.Lists++
	} else {
		out.word = signal{follows: true}.encode(p.m.Phase)
		p.m.SendList(p.m.Peer(to), b)
	}
	p.signals.out = append(p.signals.out, out)
}

// isMark reports whether b, a bundle without words, is only this phase's mark of rank top.
func (p *Protocol) isMark(top dimmnet.Rank, b []byte) bool {
	if len(p.mark) == 0 {
		return false
	}
	p.scratch = appendBundle(p.scratch[:0], appendEntry(nil, top, p.mark), nil)
	return bytes.Equal(b, p.scratch)
}

// step posts and takes what can be posted and taken now.
func (s *signals) step(p *Protocol) (progress bool, err error) {
	posted := 0
	for posted < len(s.out) && s.out[posted].post(p) {
		posted++
	}
	s.out = slices.Delete(s.out, 0, posted)
	progress = posted > 0
	for at := 0; at < len(s.due); {
		from := p.m.Peers[s.due[at]]
		w := p.m.Port.Load(p.lines.At(p.tree, p.m.Rank, from, 0))
		sig, arrived, err := decodeSignal(w, p.m.Phase, p.lines.room)
		if err != nil {
			return false, fmt.Errorf("phase: rank %d: %w", from, err)
		}
		if !arrived {
			at++
			continue
		}
		progress = true
		i := s.due[at]
		s.due = append(s.due[:at], s.due[at+1:]...)
		if sig.follows {
			p.m.ExpectList(i)
		} else if err := s.take(p, from, sig); err != nil {
			return false, err
		}
	}
	return progress, nil
}

// take takes the bundle that a signal stands for.
func (s *signals) take(p *Protocol, from dimmnet.Rank, sig signal) error {
	top := from
	if from < p.m.Rank {
		top = 0
	}
	if sig.lag == 0 {
		s.bundle = slices.Grow(s.bundle[:0], movement.Padded(sig.bytes))[:movement.Padded(sig.bytes)]
		p.m.Port.Read(s.bundle, p.lines.At(p.tree, p.m.Rank, from, 1))
		return p.TakeList(from, s.bundle[:sig.bytes])
	}
	s.bundle = appendBundle(s.bundle[:0], appendEntry(nil, top, appendMark(nil, sig.lag)), nil)
	if n := len(s.bundle); sig.bytes > 0 {
		s.bundle = slices.Grow(s.bundle, sig.bytes)[:n+sig.bytes]
		p.m.Port.Read(s.bundle[n:], p.lines.At(p.tree, p.m.Rank, from, 1))
	}
	return p.TakeList(from, s.bundle)
}

// post posts the rest of the line. It returns true when all is posted.
func (o *outSignal) post(p *Protocol) bool {
	port, at := p.m.Port, p.lines.At(p.tree, o.to, p.m.Rank, 0)
	if len(o.words) > 0 && !port.Write(o.to, at+dimmnet.WordBytes, o.words) {
		return false
	}
	o.words = nil
	return port.Store(o.to, at, o.word, dimmnet.WordBytes)
}
