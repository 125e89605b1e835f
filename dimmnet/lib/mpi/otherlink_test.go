package mpi

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// otherFabric connects otherLinks, which work like DIMMnet-2. A write goes to memory of the NIC
// first, with two destinations for each message, and Conceal copies it to the user's buffer.
// Everything stays busy for a Step or more.
type otherFabric struct {
	mu     sync.Mutex
	room   int
	rings  map[[2]dimmnet.Rank][][]byte // by sender and receiver: packets with their data
	filled map[[2]dimmnet.Rank]int
	memory map[uint64][]byte // by address
	next   uint64
}

type otherLink struct {
	*otherFabric
	port  dimmnet.Port
	under []otherWrite // by receiver
	found []bool       // by sender
	user  map[uint64][]byte
	bell  uint64
}

// otherWrite is a packet or a write in progress.
type otherWrite struct {
	packet []byte
	to     []Destination
	rest   []byte
	done   int
}

func newOtherFabric(room int) *otherFabric {
	return &otherFabric{
		room:   room,
		rings:  map[[2]dimmnet.Rank][][]byte{},
		filled: map[[2]dimmnet.Rank]int{},
		memory: map[uint64][]byte{},
		next:   1 << 40,
	}
}

func (f *otherFabric) link(port dimmnet.Port) *otherLink {
	n := port.Nodes()
	return &otherLink{otherFabric: f, port: port, under: make([]otherWrite, n), found: make([]bool, n), user: map[uint64][]byte{}}
}

func (l *otherLink) Block() int { return 100 }

func (l *otherLink) Busy(dst dimmnet.Rank) bool {
	return l.under[dst].packet != nil || len(l.under[dst].to) > 0
}

func (l *otherLink) Send(dst dimmnet.Rank, c *Control, data []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	key, n := [2]dimmnet.Rank{l.port.Rank(), dst}, ControlBytes+len(data)
	if l.Busy(dst) || l.filled[key]+n > l.room {
		return false
	}
	l.filled[key] += n
	l.under[dst].packet = append(c[:len(c):len(c)], data...)
	return true
}

func (l *otherLink) Write(dst dimmnet.Rank, to []Destination, data []byte) bool {
	if l.Busy(dst) {
		return false
	}
	l.under[dst] = otherWrite{to: to, rest: data}
	return true
}

func (l *otherLink) Expose(_ dimmnet.Rank, p []byte) (to []Destination, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, part := range [][]byte{p[:len(p)/2], p[len(p)/2:]} {
		if len(part) > 0 {
			l.next += 1 << 20
			l.memory[l.next], l.user[l.next] = make([]byte, len(part)), part
			to = append(to, Destination{l.next, len(part)})
		}
	}
	return to, nil
}

func (l *otherLink) Conceal(_ dimmnet.Rank, to []Destination) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range to {
		copy(l.user[d.Address], l.memory[d.Address])
		delete(l.memory, d.Address)
	}
	return nil
}

func (l *otherLink) Poll(src dimmnet.Rank) (c Control, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found[src] {
		copy(c[:], l.rings[[2]dimmnet.Rank{src, l.port.Rank()}][0])
	}
	return c, l.found[src]
}

func (l *otherLink) Consume(src dimmnet.Rank, p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := [2]dimmnet.Rank{src, l.port.Rank()}
	packet := l.rings[key][0]
	if copy(p, packet[ControlBytes:]) != len(packet)-ControlBytes {
		panic("mpi: Consume with a short buffer")
	}
	l.rings[key], l.found[src] = l.rings[key][1:], false
	l.filled[key] -= len(packet)
	l.ring(src)
}

// ring wakes a rank.
func (l *otherLink) ring(dst dimmnet.Rank) {
	l.bell++
	l.port.Store(dst, 0, l.bell, 8)
}

func (l *otherLink) Step() (progress bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.under {
		progress = l.move(dimmnet.Rank(i)) || progress
		if !l.found[i] && len(l.rings[[2]dimmnet.Rank{dimmnet.Rank(i), l.port.Rank()}]) > 0 {
			l.found[i], progress = true, true
		}
	}
	return progress, nil
}

// move advances the packet or write in progress to dst.
func (l *otherLink) move(dst dimmnet.Rank) bool {
	x := &l.under[dst]
	switch {
	case x.packet != nil:
		key := [2]dimmnet.Rank{l.port.Rank(), dst}
		l.rings[key] = append(l.rings[key], x.packet)
		x.packet = nil
		l.ring(dst)
	case len(x.to) > 0:
		n := min(64, x.to[0].Size-x.done)
		copy(l.memory[x.to[0].Address][x.done:], x.rest[:n])
		x.rest = x.rest[n:]
		if x.done += n; x.done == x.to[0].Size {
			x.to, x.done = x.to[1:], 0
		}
	default:
		return false
	}
	return true
}

// TestOtherLink checks that the engine works on another kind of Link, with single messages and
// random programs.
func TestOtherLink(t *testing.T) {
	first := rand.Uint64() >> 20
	for i := range uint64(60) {
		p := generate(first + i)
		p.opts.Eager = min(p.opts.Eager, 100)
		fabric := newOtherFabric(300)
		p.link = func(port dimmnet.Port) Link { return fabric.link(port) }
		o, err := p.observe(inproc.New(inproc.Config{}))
		if err == nil {
			err = p.judge(o)
		}
		if err != nil {
			t.Fatalf("%v\n%sseed %d: %v", err, p.describe(o), p.seed, err)
		}
	}
	fabric := newOtherFabric(300)
	err := inproc.New(inproc.Config{}).Run(context.Background(), 3, func(h dimmnet.Host) error {
		return Run(h, Options{Link: fabric.link(h.Port()), Eager: -1}, func(c *Comm) error {
			p := bytes.Repeat([]byte{byte(c.Rank())}, 10_000)
			if err := c.Bcast(p, 1); err != nil {
				return err
			}
			if p[0] != 1 || p[9999] != 1 {
				return fmt.Errorf("Bcast of %d", p[0])
			}
			return fenced(c, 500)
		})
	})
	if err != nil {
		t.Error(err)
	}
	if len(fabric.memory) > 0 {
		t.Errorf("%d places are still exposed", len(fabric.memory))
	}
}
