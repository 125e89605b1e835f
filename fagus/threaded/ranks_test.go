package threaded

import (
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// manyPort is a port of one of many ranks. It counts stores by rank and loads by address. Its LLCM
// is empty, except for the word at stop.
type manyPort struct {
	dimmnet.Port // nil: any other method panics
	rank         dimmnet.Rank
	nodes        int
	stores       map[dimmnet.Rank]int
	loads        map[dimmnet.Offset]int
	stop         dimmnet.Offset
}

func (p *manyPort) Rank() dimmnet.Rank { return p.rank }
func (p *manyPort) Nodes() int         { return p.nodes }
func (p *manyPort) Limits() dimmnet.Limits {
	return dimmnet.Limits{Store: 8, Block: 464, LLCM: 16 << 20}
}
func (p *manyPort) Arrivals() dimmnet.Mark     { return 0 }
func (p *manyPort) Err() error                 { return nil }
func (p *manyPort) Counters() dimmnet.Counters { return dimmnet.Counters{} }

func (p *manyPort) Load(off dimmnet.Offset) uint64 {
	p.loads[off]++
	if off == p.stop && off > 0 {
		return 1
	}
	return 0
}

func (p *manyPort) Store(dst dimmnet.Rank, _ dimmnet.Offset, _ uint64, _ int) bool {
	if p.stores[dst]++; p.stores[dst] > 10 {
		panic("manyPort: one rank gets store after store")
	}
	return true
}

func (p *manyPort) Write(dst dimmnet.Rank, _ dimmnet.Offset, _ []byte) bool {
	return p.Store(dst, 0, 0, 0)
}

// manyHost is the host of a thread with a manyPort.
type manyHost struct {
	dimmnet.Host // nil: any other method panics
	port         *manyPort
}

func (h manyHost) Port() dimmnet.Port { return h.port }

// newOfMany returns the engine, without threads, of one of many ranks.
func newOfMany(t *testing.T, rank dimmnet.Rank, nodes int) (*Engine, *manyPort) {
	t.Helper()
	p := &manyPort{rank: rank, nodes: nodes, stores: make(map[dimmnet.Rank]int), loads: make(map[dimmnet.Offset]int)}
	e, err := newEngine(p, consistency.NewSpace(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range e.events {
		e.events[i] = noEvent{}
	}
	return e, p
}

// TestAllRanks runs the loops over all ranks with as many ranks as a Rank can number, and one
// less. No run in threaded mode has had so many: every rank would need 12 MB of LLCM.
func TestAllRanks(t *testing.T) {
	for _, nodes := range []int{dimmnet.MaxNodes - 1, dimmnet.MaxNodes} {
		last := dimmnet.Rank(nodes - 1)

		// All ranks arrive at a barrier, the last rank last.
		e, _ := newOfMany(t, 0, nodes)
		e.meeting.call = syncvar.Barrier
		m := message{op: arrive, call: syncvar.Barrier}
		for r := range e.meeting.arrived[:last] {
			e.meeting.arrived[r] = m
		}
		act(t, e, slotOf(last, m))
		for i, out := range e.out {
			if int(out.to) != i+1 || out.m.op != leave {
				t.Fatalf("%d nodes: message %d goes to rank %d: %+v", nodes, i, out.to, out.m)
			}
		}
		if len(e.out) != nodes-1 || e.meeting.call != 0 {
			t.Errorf("%d nodes: %d ranks may leave the barrier, rank 0 is in %v", nodes, 1+len(e.out), e.meeting.call)
		}

		// One rank has made another array than the rest.
		e, _ = newOfMany(t, 0, nodes)
		for r := range e.meeting.arrived[:last] {
			e.meeting.arrived[r] = m
		}
		m.declared = 1
		if err := e.handleSlot(slotOf(last, m)); err == nil {
			t.Errorf("%d nodes: the last rank has declared more than the others, no error", nodes)
		}

		// A new owner announces itself to all ranks.
		e, p := newOfMany(t, 3, nodes)
		if err := e.hints.announce(p, 5, syncvar.Hint{Version: 1, Owner: 3}); err != nil || len(p.stores) != nodes-1 || p.stores[last] != 1 {
			t.Errorf("%d nodes: a new owner is announced to %d ranks, %d times to the last: %v", nodes, len(p.stores), p.stores[last], err)
		}

		// The send thread sends a message to the last rank, and ends.
		e, p = newOfMany(t, 0, nodes)
		e.out, e.meeting.ended = []outgoing{{to: last, m: message{op: release}}}, true
		if err := e.send(manyHost{port: p}); err != nil || p.stores[last] == 0 {
			t.Errorf("%d nodes: the send thread has made %d posts to the last rank: %v", nodes, p.stores[last], err)
		}

		// The receive thread polls the ring of every other rank once, and the stop word.
		e, p = newOfMany(t, 0, nodes)
		p.stop = e.stop
		if err := e.receive(manyHost{port: p}); err != nil || len(p.loads) != nodes {
			t.Errorf("%d nodes: the receive thread polls %d words: %v", nodes, len(p.loads), err)
		}
	}
}
