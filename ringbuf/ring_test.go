package ringbuf_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/ringbuf"
)

// ringMessages is enough for several laps of the flags, which wrap at 255.
const ringMessages = 2000

// message returns message i from rank from to rank to. Its length and bytes depend only on the
// arguments.
func message(from, to dimmnet.Rank, i, slotBytes int) []byte {
	random := rand.New(rand.NewPCG(uint64(from)<<16|uint64(to), uint64(i)))
	p := make([]byte, random.IntN(slotBytes+1)>>random.IntN(13))
	for j := range p {
		p[j] = byte(random.Uint32())
	}
	return p
}

// pair is a rank's two ring ends to one peer, and the messages sent and received so far.
type pair struct {
	out            *ringbuf.Sender
	in             *ringbuf.Receiver
	sent, received int
}

// traffic sends messages to all peers and checks the messages from them.
type traffic struct {
	port   dimmnet.Port
	layout ringbuf.Layout
	pairs  map[dimmnet.Rank]*pair
	buf    []byte
}

func (tr *traffic) Step() (progress bool, err error) {
	own := tr.port.Rank()
	for r := range dimmnet.Rank(tr.port.Nodes()) {
		p := tr.pairs[r]
		if p == nil {
			continue
		}
		if !p.out.Busy() && p.sent < ringMessages && p.out.Ready() {
			m := message(own, r, p.sent, tr.layout.SlotBytes)
			p.out.Put(ringbuf.Header{Kind: ringbuf.Data, Sender: own, Len: len(m), Addr: uint64(p.sent)}, m)
			p.sent++
		}
		if p.out.Step() {
			progress = true
		}
		if p.in.Step() {
			progress = true
		}
		if p.received == ringMessages {
			continue
		}
		h, arrived, err := p.in.Poll()
		if err != nil {
			return false, err
		}
		if !arrived {
			continue
		}
		progress = true
		got := tr.buf[:h.Len]
		p.in.Take(got)
		if want := message(r, own, p.received, tr.layout.SlotBytes); h.Addr != uint64(p.received) || string(got) != string(want) {
			return false, fmt.Errorf("message %d from rank %d to %d: header %+v, %d bytes, want %d", p.received, r, own, h, len(got), len(want))
		}
		p.received++
	}
	return progress, nil
}

func (tr *traffic) done() bool {
	for _, p := range tr.pairs {
		if p.received < ringMessages || p.sent < ringMessages || p.out.Busy() || p.in.Owing() {
			return false
		}
	}
	return true
}

// exchange lets every rank send to all others.
func exchange(lazy bool) func(dimmnet.Host) error {
	return func(h dimmnet.Host) error { return exchangeAs(h, lazy) }
}

func exchangeAs(h dimmnet.Host, lazy bool) error {
	p := h.Port()
	layout, err := ringbuf.NewLayout(p.Limits(), p.Nodes())
	if err != nil {
		return err
	}
	tr := &traffic{port: p, layout: layout, pairs: make(map[dimmnet.Rank]*pair), buf: make([]byte, layout.SlotBytes)}
	for r := range dimmnet.Rank(p.Nodes()) {
		if r != p.Rank() {
			tr.pairs[r] = &pair{out: ringbuf.NewSender(p, &tr.layout, r), in: ringbuf.NewReceiver(p, &tr.layout, r)}
			tr.pairs[r].in.SetLazy(lazy)
		}
	}
	return dimmnet.Drive(p, tr, tr.done)
}

func TestRingsKeepOrderAndBytes(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for seed := range uint64(3) {
		for _, nodes := range []int{2, 3, 5} {
			net, err := sim.New(sim.Config{Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			if err := net.Run(ctx, nodes, exchange(nodes == 3)); err != nil {
				t.Errorf("sim, %d nodes, seed %d: %v", nodes, seed, err)
			}
		}
	}
	for _, llcm := range []int{0, 16 << 10} {
		for _, lazy := range []bool{false, true} {
			if err := inproc.New(inproc.Config{LLCM: llcm}).Run(ctx, 3, exchange(lazy)); err != nil {
				t.Errorf("inproc, LLCM %d, lazy %v: %v", llcm, lazy, err)
			}
		}
	}
}

// TestLazyReceiver counts the Stores that give slots back: there are none until half of the slots
// are empty.
func TestLazyReceiver(t *testing.T) {
	for _, more := range []int{-1, 0} {
		var stores, half uint64
		err := inproc.New(inproc.Config{}).Run(context.Background(), 2, func(h dimmnet.Host) error {
			p := h.Port()
			layout, err := ringbuf.NewLayout(p.Limits(), 2)
			if err != nil {
				return err
			}
			peer := 1 - p.Rank()
			one := &pair{out: ringbuf.NewSender(p, &layout, peer), in: ringbuf.NewReceiver(p, &layout, peer), sent: ringMessages, received: ringMessages}
			one.in.SetLazy(true)
			messages := layout.Slots/2 + more
			if p.Rank() == 0 {
				one.sent -= messages
			} else {
				one.received -= messages
			}
			tr := &traffic{port: p, layout: layout, pairs: map[dimmnet.Rank]*pair{peer: one}, buf: make([]byte, layout.SlotBytes)}
			if err := dimmnet.Drive(p, tr, tr.done); err != nil || p.Rank() == 0 {
				return err
			}
			stores, half = p.Counters().Stores, uint64(layout.Slots/2)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := half * uint64(more+1); stores != want {
			t.Errorf("%d messages are received with %d Stores, want %d", int(half)+more, stores, want)
		}
	}
}

// TestMessagesOfAPage counts the posts of a full slot (docs/internals/messages.md).
func TestMessagesOfAPage(t *testing.T) {
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var counters [2]dimmnet.Counters
	err = net.Run(context.Background(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		layout, err := ringbuf.NewLayout(p.Limits(), 2)
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			out := ringbuf.NewSender(p, &layout, 1)
			if !out.Ready() {
				return fmt.Errorf("the first slot is not free")
			}
			out.Put(ringbuf.Header{Kind: ringbuf.Data, Len: 4096}, make([]byte, 4096))
			for out.Busy() {
				out.Step()
			}
		} else {
			in := ringbuf.NewReceiver(p, &layout, 0)
			for range 1000 {
				if h, arrived, err := in.Poll(); err != nil {
					return err
				} else if arrived {
					in.Take(make([]byte, h.Len))
					break
				}
			}
		}
		counters[p.Rank()] = p.Counters()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if c := counters[0]; c.Stores != 3 || c.Writes != 9 || c.Bytes != 16+4096+1 {
		t.Errorf("the sender posted %+v, want 3 AOTF and 9 BOTF", c)
	}
	if c := counters[1]; c.Stores != 1 || c.Writes != 0 || c.Bytes != 1 {
		t.Errorf("the receiver posted %+v, want 1 AOTF", c)
	}
}

// TestForeignHeaderIsRefused fills the LLCM with words that no sender writes.
func TestForeignHeaderIsRefused(t *testing.T) {
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var got error
	err = net.Run(context.Background(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		layout, err := ringbuf.NewLayout(p.Limits(), 2)
		if err != nil || p.Rank() == 0 {
			return err
		}
		// Rank 1 fills its own LLCM: every flag is 1, and every header is invalid.
		junk := make([]byte, 464)
		for i := range len(junk) / 8 {
			binary.LittleEndian.PutUint64(junk[8*i:], 0x0101010101010101)
		}
		for off := 0; off+len(junk) <= p.Limits().LLCM; off += len(junk) {
			for !p.Write(1, dimmnet.Offset(off), junk) {
				p.Idle(p.Arrivals())
			}
		}
		in := ringbuf.NewReceiver(p, &layout, 0)
		for range 10000 {
			var arrived bool
			if _, arrived, got = in.Poll(); arrived || got != nil {
				return nil
			}
		}
		return nil
	})
	if err != nil || got == nil {
		t.Errorf("the run returned %v and Poll %v: want an error of Poll", err, got)
	}
}
