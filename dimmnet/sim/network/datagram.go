package network

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
)

// UDP is the network of UDP-Fagus: hosts without NICs, joined by the Ethernet. Each field is the
// probability, at least 0 and less than 1, of an event that happens to a datagram.
type UDP struct {
	Loss      float64 `json:"loss"`      // a datagram is lost in the switch
	Duplicate float64 `json:"duplicate"` // a datagram arrives twice
	// a datagram is held back for up to UDPTimes.Held, so that later ones overtake it
	Reorder float64 `json:"reorder"`
}

// UDPCounts counts the datagrams of a UDP network.
type UDPCounts struct {
	Sent       uint64 // all datagrams, including those sent again
	Lost       uint64
	Parted     uint64 // datagrams lost by a partition; included in Lost
	Duplicated uint64
	Reordered  uint64
	Corrupted  uint64 // datagrams damaged, and so dropped by their receivers
}

// Check returns an error if a probability is out of its range.
func (u *UDP) Check() error {
	ok := func(p float64) bool { return p >= 0 && p < 1 } // false for NaN
	if !ok(u.Loss) || !ok(u.Duplicate) || !ok(u.Reorder) {
		return fmt.Errorf("sim: UDP: Loss %v, Duplicate %v, Reorder %v: want probabilities of at least 0 and less than 1", u.Loss, u.Duplicate, u.Reorder)
	}
	return nil
}

// chance draws whether an event of probability p happens to a datagram for dst.
func (n *Node) chance(dst dimmnet.Rank, p float64) bool { return p > 0 && n.draw(dst) < p }

// draw returns the next random number for dst, from 0 up to 1. Seed 0 is a stream like others.
func (n *Node) draw(dst dimmnet.Rank) float64 {
	if n.draws == nil {
		n.draws = make([]uint64, len(n.net.nodes))
	}
	n.draws[dst]++
	stream := udpStream | uint64(n.rank)<<16 | uint64(dst)
	x := event.Mix(event.Mix(n.net.cfg.Delays.Seed^event.Mix(stream)) + n.draws[dst])
	return float64(x>>11) / (1 << 53)
}

// udpStream separates these draws from the random delays.
const udpStream = 1 << 33

// Emit puts a datagram on the cable at ready or later, and draws its loss, repetition and delay.
func (n *Node) Emit(dst dimmnet.Rank, datagram []byte, ready dimmnet.Time) {
	w := n.net
	p := packet{kind: kindDatagram, size: int32(len(datagram)), src: n.rank, dst: dst}
	at := w.transmit(&p, ready)
	w.totals.UDP.Sent++
	if w.cfg.Delays.Seed != 0 {
		at = w.delay(n, &p, at)
	}
	copies := 1
	if n.chance(dst, w.cfg.UDP.Duplicate) {
		w.totals.UDP.Duplicated++
		copies = 2
	}
	for range copies {
		parted := w.held(n.rank, dst, at) > at
		if parted {
			w.totals.UDP.Parted++
		}
		if parted || n.chance(dst, w.cfg.UDP.Loss) {
			w.totals.UDP.Lost++
			continue
		}
		late := dimmnet.Time(0)
		if n.chance(dst, w.cfg.UDP.Reorder) {
			w.totals.UDP.Reordered++
			late = dimmnet.Time(n.draw(dst) * float64(w.preset.UDP.Held))
		}
		p.damaged = n.corrupts(dst, at)
		p.block = w.packets.blockOf(len(datagram))
		copy(p.block, datagram)
		w.line.Schedule(at+late, switched, w.packets.Put(p))
	}
}

// Deposit writes a part of a datagram from rank from to memory.
func (n *Node) Deposit(from dimmnet.Rank, off dimmnet.Offset, b []byte, at dimmnet.Time) {
	n.memory.write(off, b)
	n.arrivals++
	n.net.trace.Bytes(at, from, n.rank, uint64(off), b)
}

// Copy writes a copy of b to the node's memory at the time at, as if it had arrived.
func (n *Node) Copy(off dimmnet.Offset, b []byte, at dimmnet.Time) {
	w := n.net
	block := w.packets.blockOf(len(b))
	copy(block, b)
	p := packet{kind: kindBlock, block: block, off: off, size: int32(len(b)), ref: -1, src: n.rank, dst: n.rank}
	w.line.Schedule(at, Land, w.packets.Put(p))
}
