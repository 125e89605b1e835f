package network

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// nic is the timed state of a node's DIMMnet-1. Package martini holds its decisions (Chip).
type nic struct {
	Chip    martini.NIC
	Bank    Memory // the side of the bulk memory that faces the host
	network Memory // the side that faces the network

	// Sending.
	link   link         // from this NIC
	posted dimmnet.Time // time when the last packet leaves that the host has posted
	FIFO   Departures   // words of the Port that are still in the NIC
	freeAt dimmnet.Time // time of the pending free event, or 0
	engine engine       // of Push and Pull

	// Receiving and exceptions.
	receiveFree dimmnet.Time // time from which the receiver is free
	coreFree    dimmnet.Time // time when the core PU has served all interrupts
}

// Departures holds the times at which packets leave a bounded send buffer, the earliest first.
type Departures struct {
	times []dimmnet.Time
	head  int
}

// Waiting returns how many have not left at the time t.
func (d *Departures) Waiting(t dimmnet.Time) int {
	for d.head < len(d.times) && d.times[d.head] <= t {
		d.head++
	}
	if d.head == len(d.times) {
		d.times, d.head = d.times[:0], 0
	} else if d.head > 64 && d.head > len(d.times)/2 {
		d.times = d.times[:copy(d.times, d.times[d.head:])]
		d.head = 0
	}
	return len(d.times) - d.head
}

func (d *Departures) first() dimmnet.Time { return d.times[d.head] }

// Add adds the time at which the next packet leaves.
func (d *Departures) Add(t dimmnet.Time) { d.times = append(d.times, t) }

// interrupt lets the core PU serve an interrupt at t, after earlier ones; it returns the end.
func (n *nic) interrupt(t, service dimmnet.Time) dimmnet.Time {
	n.coreFree = max(n.coreFree, t) + service
	return n.coreFree
}
