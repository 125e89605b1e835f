package threaded

import (
	"bytes"
	"errors"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/syncvar"
)

// runEngines runs body on two ranks in virtual time. Each has an engine without threads, and has
// bound its memory of size bytes to variable 0.
func runEngines(t *testing.T, size int, body func(dimmnet.Host, *Engine, []byte) error) error {
	t.Helper()
	net, err := sim.New(sim.Config{Limit: 10 * dimmnet.Second})
	if err != nil {
		t.Fatal(err)
	}
	return net.Run(t.Context(), 2, func(h dimmnet.Host) error {
		space, memory := consistency.NewSpace(), make([]byte, size)
		base, err := space.AddRegion("a", "bytes", 1, memory)
		if err != nil {
			return err
		}
		if _, err := space.Bind("v", []consistency.Range{{Lo: base, Hi: base + consistency.Addr(size)}}); err != nil {
			return err
		}
		e, err := newEngine(h.Port(), space, Config{})
		if err != nil {
			return err
		}
		for i := range e.events {
			e.events[i] = h.NewEvent()
		}
		e.helpers.running = int(threads - send)
		return body(h, e, memory)
	})
}

// write fills variable 0 during an exclusive tenure.
func write(e *Engine, memory []byte) error {
	if err := e.Acquire(nil, []syncvar.ID{0}); err != nil {
		return err
	}
	e.space.BeginWrite(0, nil)
	for i := range memory {
		memory[i] = 1
	}
	e.space.EndWrite(0, e.Version(0))
	return e.Release(nil, []syncvar.ID{0}, []syncvar.ID{0})
}

// TestReceiveThreadWaits checks that the receive thread leaves slots in the rings while the in
// queue is full, and takes them afterwards. When End returns, no helper thread is left.
func TestReceiveThreadWaits(t *testing.T) {
	const size = 500_000 // more than 100 slots
	err := runEngines(t, size, func(h dimmnet.Host, e *Engine, memory []byte) error {
		e.start(h, send, "send", e.send)
		e.start(h, receive, "receive", e.receive)
		if e.rank == 0 {
			if err := write(e, memory); err != nil {
				return err
			}
			e.start(h, process, "process", e.process)
		} else {
			h.Spend(10 * dimmnet.Millisecond) // by now rank 0 has written
			if err := e.ask(0, syncvar.Want{Access: syncvar.Shared}); err != nil {
				return err
			}
			h.Spend(50 * dimmnet.Millisecond)
			if n := len(e.in); n != inLimit {
				t.Errorf("%d slots wait to be handled, want %d", n, inLimit)
			}
			e.start(h, process, "process", e.process)
			if err := e.await(user, func() bool { return e.wanted[0] == nil }); err != nil {
				return err
			}
			if !bytes.Equal(memory, bytes.Repeat([]byte{1}, size)) {
				t.Error("some data have not arrived")
			}
			if err := e.Release([]syncvar.ID{0}, nil, nil); err != nil {
				return err
			}
		}
		err := e.Meet(syncvar.End, 0)
		if e.helpers.running != 0 {
			t.Errorf("rank %d: %d helper threads are left after End", e.rank, e.helpers.running)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCloseEndsReceiving checks that Close ends the receive and processing threads. The send
// thread goes on until the run is over.
func TestCloseEndsReceiving(t *testing.T) {
	boom := errors.New("boom")
	err := runEngines(t, 8, func(h dimmnet.Host, e *Engine, _ []byte) error {
		e, err := New(h, e.space, Config{})
		if err != nil {
			return err
		}
		if e.rank == 1 {
			return e.Meet(syncvar.Barrier, 0)
		}
		h.Spend(50 * dimmnet.Millisecond) // by now the threads wait
		e.Close()
		e.events[send].Set()
		h.Spend(50 * dimmnet.Millisecond)
		if e.helpers.running != 1 {
			t.Errorf("%d helper threads run, want 1", e.helpers.running)
		}
		return boom
	})
	if err != boom {
		t.Errorf("error %v, want %v", err, boom)
	}
}

// TestClosedMemoryIsLeftAlone checks that a closed engine copies nothing from or to the program's
// memory, and completes no request.
func TestClosedMemoryIsLeftAlone(t *testing.T) {
	e := newTestEngine(t, 0)
	ask(t, e, 1, syncvar.Shared)
	act(t, e, slotOf(2, message{op: grant, id: 1, version: 5, flag: true}))
	r := consistency.Range{Lo: consistency.PageBytes + 100, Hi: consistency.PageBytes + 108}
	e.closed = true
	in := pieceOf(2, uint64(r.Lo), 8, 0, true)
	copy(in.body, "newbytes")
	act(t, e, in)
	if got := e.space.Bytes(r); !bytes.Equal(got, make([]byte, 8)) || e.wanted[1] == nil {
		t.Errorf("the memory holds %q, the request is open: %v", got, e.wanted[1] != nil)
	}
	s, l := &sender{e: e}, &lane{body: []byte("before")}
	o := outgoing{stream: &consistency.Stream{ID: 1, Cuts: []consistency.Cut{{Range: r}}, Complete: true}}
	if _, _, ok := s.copy(l, &o); ok || string(l.body) != "before" || e.counts.Slots != 0 {
		t.Errorf("%q was copied, %d slots were counted", l.body, e.counts.Slots)
	}
}
