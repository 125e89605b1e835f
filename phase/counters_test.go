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
	base, err := space.AddRegion("array", "bytes", mem)
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
		if err := e.Call(syncvar.List{Call: syncvar.Barrier}); err != nil {
			return err
		}
		if round%2 != rank {
			continue
		}
		if err := e.Call(syncvar.List{Call: syncvar.Acquire, Exclusive: []syncvar.ID{id}}); err != nil {
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
	return e.Call(syncvar.List{Call: syncvar.End})
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
		senders[e.port.Rank()] = s
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
					e.port.Store(e.port.Rank(), b.words.grant(i), encodeGrant(tag, b.memory.lo+64), dimmnet.WordBytes)
					e.port.Store(e.port.Rank(), b.words.notice(i), n.encode(tag), dimmnet.WordBytes)
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
