package phase

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// relay is a program in which ranks 0 and 1 write to variable 0 in turns, the other in between
// checks what was written.
type relay struct {
	cfg    Config
	net    dimmnet.Network
	bytes  int // bytes that variable 0 guards
	rounds int
	views  [][]byte // by rank: the memory of the array; nil unless cfg.Views
	before func(e *Engine) error
}

func (p *relay) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := p.net.Run(ctx, 2, p.rank); err != nil {
		t.Error(err)
	}
}

func (p *relay) rank(h dimmnet.Host) error {
	space, rank := consistency.NewSpace(), int(h.Port().Rank())
	mem := make([]byte, p.bytes)
	if p.views != nil {
		mem = p.views[rank]
	}
	base, err := space.AddRegion("array", "bytes", 1, mem)
	if err != nil {
		return err
	}
	if p.views != nil {
		space.SetViews(base, p.views)
	}
	id, err := space.Bind("v", []consistency.Range{{Lo: base, Hi: base + consistency.Addr(p.bytes)}})
	if err != nil {
		return err
	}
	e, err := New(h.Port(), space, p.cfg)
	if err != nil {
		return err
	}
	if err := p.before(e); err != nil {
		return err
	}
	for round := range p.rounds {
		if err := e.Call(&syncvar.List{Call: syncvar.Barrier}); err != nil {
			return err
		}
		if round%2 != rank {
			continue
		}
		if err := e.Call(&syncvar.List{Call: syncvar.Acquire, Exclusive: []syncvar.ID{id}}); err != nil {
			return err
		}
		space.BeginWrite(id, nil)
		for i, b := range mem {
			if b != byte(round) {
				return fmt.Errorf("round %d: rank %d has %d in byte %d", round, rank, b, i)
			}
		}
		for i := range mem {
			mem[i] = byte(round + 1)
		}
		space.EndWrite(id, e.Table().State(id).Version)
	}
	return e.Call(&syncvar.List{Call: syncvar.End})
}

// TestCooperativeCopiesWrap makes cooperative copies across number 2^32. The number 0 would mean
// that only the receiver copies.
func TestCooperativeCopiesWrap(t *testing.T) {
	const bytes = coopBytes + 1000
	p := relay{
		cfg: Config{Live: true, Views: true, Help: true}, net: inproc.New(inproc.Config{}), bytes: bytes, rounds: 12,
		views: [][]byte{make([]byte, bytes), make([]byte, bytes)},
	}
	var senders [2]*fetchSender
	p.before = func(e *Engine) error {
		s := e.out[0].data.(*fetchSender)
		s.last = 1<<32 - 3
		senders[e.rank] = s
		return nil
	}
	p.run(t)
	for rank, s := range senders {
		if s.last < 1 || s.last > 4 {
			t.Errorf("the last cooperative copy of rank %d has number %d, want a small one", rank, s.last)
		}
	}
}

// TestOldWords lets grants and notices of 2^24 phases ago lie in the LLCM. A rank must not take
// them for words of the present phase, in which a message goes by PUSH.
func TestOldWords(t *testing.T) {
	const first = 1<<24 - 2 // the words are emptied in phase 2^24
	for message := range 3 {
		for old := range uint64(12) {
			p := relay{cfg: Config{Transfer: Push, FirstPhase: first}, net: inproc.New(inproc.Config{Bulk: 2000}), bytes: 5000, rounds: 8}
			p.before = func(e *Engine) error {
				b := e.method.(*push)
				for i := range b.words.count {
					tag := tag(first+3+old, message)
					n := notice{bytes: 1000, ends: true, last: message == 2}
					e.port.Store(e.rank, b.words.grant(i), grant{offset: b.memory.lo + 64}.encode(tag), dimmnet.WordBytes)
					e.port.Store(e.rank, b.words.notice(i), n.encode(tag), dimmnet.WordBytes)
				}
				return nil
			}
			p.run(t)
			if t.Failed() {
				t.Fatalf("words of message %d, %d phases old", message, ringbuf.PhaseMask+1)
			}
		}
	}
}

// TestLargePieces encodes, decodes and divides pieces of more than 4 GiB, and at the end of the
// address space.
func TestLargePieces(t *testing.T) {
	const end = consistency.MaxAddr
	for _, r := range []consistency.Range{
		{Lo: 4096, Hi: 4096 + 1<<32}, {Lo: 1<<32 - 8, Hi: 1<<32 + 8}, {Lo: 1<<32 + 4096, Hi: 1<<33 + 1<<32 + 3}, {Lo: end - 1<<34 - 1, Hi: end - 1}, {Lo: end - 1, Hi: end},
	} {
		b := appendPieces(nil, []consistency.Cut{{Range: r, Age: 1<<16 - 1}})
		if lo, length, age := decodePiece(b); lo != r.Lo || length != uint64(r.Hi-r.Lo) || age != 1<<16-1 {
			t.Errorf("%+v decodes to address %d, %d bytes, age %d", r, lo, length, age)
		}
		n := countBytes + pieceBytes + padded(r.Len())
		if cuts, err := decodePieces(b, n); err != nil || cuts[0].Range != r {
			t.Errorf("%+v decodes to %+v, %v", r, cuts, err)
		}
		if _, err := decodePieces(b, n-dimmnet.WordBytes); err == nil {
			t.Errorf("%+v: its message is a word too short, no error", r)
		}
		var c coopCopy
		c.add(r)
		at := r.Lo
		for i, p := range c.portions {
			if p.Lo != at || p.Len() < 1 || p.Len() > portionBytes || p.Len() < portionBytes && i < len(c.portions)-1 {
				t.Fatalf("%+v: portion %d is %+v", r, i, p)
			}
			at = p.Hi
		}
		if at != r.Hi {
			t.Errorf("%+v: the portions end at %d", r, at)
		}
	}
	for _, portion := range []int{0, 1, 1 << 30, 1<<31 - 1} {
		for _, number := range []uint32{1, 1<<32 - 1} {
			if got, done, ok := decodeProgress(progressWord(number, portion, true), number); got != portion || !done || !ok {
				t.Errorf("portion %d of copy %d: %d, %v, %v", portion, number, got, done, ok)
			}
			if _, _, ok := decodeProgress(progressWord(number, portion, true), number-1); ok {
				t.Errorf("portion %d of copy %d counts for the copy before", portion, number)
			}
		}
	}
}

// TestLargeWords encodes grants and notices at the end of a memory of 4 GiB.
func TestLargeWords(t *testing.T) {
	const llcm, most = 1 << 17, 1<<32 - dimmnet.WordBytes
	memory, tag := span{llcm, most - llcm}, tag(1<<24-1, messageMax-1)
	for _, c := range []struct {
		off dimmnet.Offset
		n   int
		ok  bool
	}{
		{llcm, most - llcm, true}, {llcm, most - llcm + 8, false}, {most - 8, 8, true}, {most, 8, false}, {most - 8, 16, false}, {most - 8, 1 << 31, false}, {llcm - 8, 8, false}, {1 << 31, 1 << 31, false},
	} {
		g, granted, err := decodeGrant(grant{offset: c.off}.encode(tag), tag, c.n, memory)
		if granted != c.ok || (err == nil) != c.ok || c.ok && g.offset != c.off {
			t.Errorf("a grant of %d bytes at offset %d: offset %d, granted %v, %v", c.n, c.off, g.offset, granted, err)
		}
	}
	for _, n := range []notice{{bytes: most}, {bytes: most, ends: true}, {bytes: most, ends: true, last: true}, {bytes: 1 << 31}} {
		if got, ok := decodeNotice(n.encode(tag), tag); got != n || !ok {
			t.Errorf("notice %+v decodes to %+v, %v", n, got, ok)
		}
	}
}

// TestLongWaits lets a rank wait at a barrier for more phases than the age of an inline request can
// count, while another makes calls.
func TestLongWaits(t *testing.T) {
	const calls = 1<<9 + 100
	for _, first := range []uint64{0, 4095 - 50, 1<<24 - calls/2} {
		err := inproc.New(inproc.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
			e, err := New(h.Port(), consistency.NewSpace(), Config{Live: true, FirstPhase: first})
			if err != nil {
				return err
			}
			if h.Port().Rank() == 1 {
				for range calls {
					if err := e.Call(&syncvar.List{Call: syncvar.Acquire}); err != nil {
						return err
					}
				}
			}
			if err := e.Call(&syncvar.List{Call: syncvar.Barrier}); err != nil {
				return err
			}
			if n := e.Counts().Phases; n != calls+1 {
				return fmt.Errorf("%d phases, want %d", n, calls+1)
			}
			return e.Call(&syncvar.List{Call: syncvar.End})
		})
		if err != nil {
			t.Errorf("from phase %d: %v", first, err)
		}
	}
}
