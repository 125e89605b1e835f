package network

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Part is a part of a network that passes one packet after the other.
type Part uint8

// The parts of a network.
const (
	Sender   Part = iota // the link from a NIC
	Engine               // what moves blocks of memory in a NIC: one PUSH or PULL after the other
	Port                 // an output port of a switch
	Receiver             // the receiver of a NIC
	CableOut             // the Ethernet cable from a host
	CableIn              // the Ethernet cable to a host: an output port of the switch
)

// Name names a part of the node, or the port, with a number.
func (p Part) Name(of int) string {
	return fmt.Sprintf([...]string{"NIC %d send", "NIC %d RDMA", "switch port %d", "NIC %d receive", "host %d Ethernet out", "host %d Ethernet in"}[p], of)
}

// Passage is the way of a packet through a part of a network.
type Passage struct {
	Part     Part
	Of       int          // the rank of its node, or the number of the port
	Queued   dimmnet.Time // the packet is there, and waits
	From, To dimmnet.Time // the part is busy with it
	Landed   dimmnet.Time // it is in the receiver's memory; 0: refused, or in another part
	Src, Dst dimmnet.Rank // Dst is one of the receivers of a multicast
	What     string       // AOTF, BOTF, PUSH, PULL, PULL data, ACK, notice, datagram
	Bytes    int          // of its payload
}

// passed tells of the passage of p through a part.
func (w *Network) passed(p *packet, part Part, of int, queued, from, to, landed dimmnet.Time) {
	w.cfg.Passed(Passage{part, of, queued, from, to, landed, p.src, p.dst, w.what(p), int(p.size)})
}

func (w *Network) what(p *packet) string {
	if p.kind == kindData && w.transfers.At(p.ref).pull {
		return "PULL data"
	}
	return [...]string{kindStore: "AOTF", kindBlock: "BOTF", kindData: "PUSH", kindPull: "PULL", kindAck: "ACK", kindNotice: "notice", kindDatagram: "datagram"}[p.kind]
}

// served tells of the transfer at the head of an engine's queue, which leaves it. Its last packet
// has left at the time left.
func (w *Network) served(rank dimmnet.Rank, t *transfer, left dimmnet.Time) {
	e := &w.nodes[rank].engine
	from := max(t.began, e.until)
	e.until = max(from, left)
	what, to, bytes := "PUSH", t.dst, t.bytes
	switch {
	case t.pull && rank == t.owner && rank != t.src:
		what, to, bytes = "PULL", t.src, 0
	case t.pull:
		what = "PULL data"
	}
	w.cfg.Passed(Passage{Engine, int(rank), min(t.ready, from), from, e.until, 0, rank, to, what, bytes})
}
