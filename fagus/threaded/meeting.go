package threaded

import (
	"encoding/binary"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// arrived records at rank 0 that a rank has arrived at the meeting. When all ranks have arrived, it
// sends leave messages to all.
func (e *Engine) arrived(from dimmnet.Rank, m message) error {
	if e.rank != 0 || e.meeting[from].op != 0 {
		return fmt.Errorf("rank %d sent an arrival in %v, which is not due", from, m.call)
	}
	e.meeting[from] = m
	here := 0
	for r, other := range e.meeting {
		if other.op == 0 {
			continue
		}
		here++
		first, second := dimmnet.Rank(r), from
		a, b := other.call, m.call
		if second < first {
			first, second, a, b = second, first, b, a
		}
		if err := syncvar.CheckMeeting(first, a, second, b); err != nil {
			return err
		}
	}
	if here < e.nodes {
		return nil
	}
	if err := e.checkDeclarations(m.call); err != nil {
		return err
	}
	var words []uint64
	if m.call == syncvar.Reduce {
		words = make([]uint64, e.nodes)
		for r := range e.meeting {
			words[r] = e.meeting[r].word
		}
		e.words = words
	}
	clear(e.meeting)
	for r := range e.nodes { // a loop over Rank would end at once if there are 2^16 ranks
		if err := e.queue(outgoing{to: dimmnet.Rank(r), m: message{op: leave, call: m.call, rank: from}, words: words}); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) receiveWords(in incoming) error {
	have, n := len(e.words), len(in.body)/dimmnet.WordBytes
	if in.from != 0 || e.rank == 0 || e.meetCall != syncvar.Reduce {
		return fmt.Errorf("rank %d sent words of a Reduce, which are not due", in.from)
	}
	if n == 0 || len(in.body)%dimmnet.WordBytes != 0 || in.head.Addr != uint64(have) || have+n > e.nodes {
		return fmt.Errorf("rank %d sent %d bytes of words at index %d, after %d of %d words", in.from, len(in.body), in.head.Addr, have, e.nodes)
	}
	for b := in.body; len(b) > 0; b = b[dimmnet.WordBytes:] {
		e.words = append(e.words, binary.LittleEndian.Uint64(b))
	}
	return nil
}

func (e *Engine) checkDeclarations(call syncvar.Call) error {
	for r := 1; r < e.nodes; r++ {
		m, rank := &e.meeting[r], dimmnet.Rank(r)
		if err := e.checkDeclared(rank, m); err != nil {
			return err
		}
		if call != syncvar.End {
			if err := e.space.CheckCount(0, rank, m.declared); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Engine) declare(m *message) {
	m.declared = uint32(e.space.Declared())
	m.digest = e.space.Digest(e.space.Declared())
}

// checkDeclared compares the declarations in a message of rank r with the declarations of this
// rank, if this rank has made as many. A forwarded request holds no declarations.
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
	if from != 0 || m.call != e.meetCall {
		return fmt.Errorf("rank %d sent that all ranks are in %v, while this rank waits in %v", from, m.call, e.meetCall)
	}
	if m.call == syncvar.Reduce && len(e.words) != e.nodes {
		return fmt.Errorf("rank %d sent that all ranks are in %v, after %d of %d words", from, m.call, len(e.words), e.nodes)
	}
	e.meetCall, e.last = 0, m.rank
	if m.call == syncvar.End {
		e.ended = true
		e.wake(send)
		e.wake(process)
	}
	e.wake(user)
	return nil
}
