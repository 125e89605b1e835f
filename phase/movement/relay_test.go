package movement_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/phase/agreement"
	"github.com/fagus-dsm/fagus/phase/agreement/pairs"
	"github.com/fagus-dsm/fagus/phase/movement"
	"github.com/fagus-dsm/fagus/ringbuf"
	"github.com/fagus-dsm/fagus/syncvar"
)

// relay is a program in which ranks 0 and 1 write to variable 0 in turn. In between the other rank
// checks what was written.
type relay struct {
	use    func(m *movement.Mover) agreement.Protocol // chooses the method
	first  uint64                                     // the number of the first phase
	live   bool
	net    dimmnet.Network
	bytes  int // bytes that variable 0 guards
	rounds int
	views  [][]byte // by rank: the memory of the array; nil: no rank can read another's memory
	before func(m *movement.Mover)
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
	m := movement.New(h.Port(), space, p.first, nil)
	a := p.use(m)
	m.Connect(a, p.live)
	p.before(m)
	e := phase.Assemble(m, a, syncvar.Unobserved{})
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
	const bytes = movement.CoopBytes + 1000
	p := relay{
		live: true, net: inproc.New(inproc.Config{}), bytes: bytes, rounds: 12,
		views: [][]byte{make([]byte, bytes), make([]byte, bytes)},
	}
	p.use = func(m *movement.Mover) agreement.Protocol {
		limits := m.Port.Limits()
		area, _ := pairs.NewArea(&limits, 2)
		m.Layout, _ = ringbuf.NewLayout(limits, 2)
		m.UseFetch(0, true, &area)
		return pairs.NewInline(m, pairs.Config{Observer: syncvar.Unobserved{}}, area, false)
	}
	var last [2]*uint32
	p.before = func(m *movement.Mover) {
		last[m.Rank] = m.LastCoop()
		*last[m.Rank] = 1<<32 - 3
	}
	p.run(t)
	for rank, n := range last {
		if *n < 1 || *n > 4 {
			t.Errorf("the last cooperative copy of rank %d has number %d, want a small one", rank, *n)
		}
	}
}

// TestOldWords leaves grants and notices of 2^24 phases ago in the LLCM. A rank must not take them
// for words of the present phase, in which a message goes by PUSH.
func TestOldWords(t *testing.T) {
	const first = 1<<24 - 2 // the words are emptied in phase 2^24
	for message := range 3 {
		for old := range uint64(12) {
			p := relay{first: first, net: inproc.New(inproc.Config{Bulk: 2000}), bytes: 5000, rounds: 8}
			p.use = func(m *movement.Mover) agreement.Protocol {
				limits := m.Port.Limits()
				m.UsePush(movement.PushConfig{Words: movement.PlacePushWords(&limits, 32, 2)})
				m.Layout, _ = ringbuf.NewLayout(limits, 2)
				return pairs.New(m, pairs.Config{Observer: syncvar.Unobserved{}})
			}
			p.before = func(m *movement.Mover) { m.Push().StoreOld(first+3+old, message) }
			p.run(t)
			if t.Failed() {
				t.Fatalf("words of message %d, %d phases old", message, ringbuf.PhaseMask+1)
			}
		}
	}
}
