package network

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// Config describes a network.
type Config struct {
	Preset       *presets.Preset // which nobody changes
	Nodes        int
	Delays       event.Delays
	ExternalLoop bool // packets of a node to itself travel over its cable
	// LookAhead makes the network know when packets can land, so that threads need not wait for
	// events that cannot concern them. It is only for NICs.
	LookAhead bool
	UDP       *UDP // nil: the nodes have NICs
	Faults    []event.Fault
	// Passed, if not nil, is told of every passage of a packet through a part of the network, when
	// it is known: of one part they are not always in the order of time.
	Passed func(Passage)
}

// Network is the network of one run. Its events are in the run's timeline; Handle lets them happen.
type Network struct {
	cfg     Config
	preset  *presets.Preset
	line    *event.Timeline
	trace   *event.Trace
	nodes   []Node
	packets packetPool
	fabric  *fabric      // nil if two nodes are wired back to back
	flight  dimmnet.Time // how far threads look ahead; 0 if they do not

	sendTime    dimmnet.Time // sum of the send stages
	receiveTime dimmnet.Time // sum of the receive stages
	ackTime     dimmnet.Time // sum of the send stages that a packet made by the hardware passes

	transfers event.Pool[transfer]
	totals    Totals // without NIC
}

// The kinds of the network's events.
const (
	hop      event.Kind = iota // a packet's head reaches a switch
	enter                      // a packet's head reaches the receiver
	rdma                       // a node's engine sends its next packet
	Land                       // a packet's bytes appear in memory
	free                       // a send buffer of a node becomes free
	switched                   // the Ethernet switch has received a frame
	Frame                      // a host has received a frame: the host handles it
	Kinds                      // the first kind that the network does not use
)

// The lanes of the network's events.
const (
	laneLink = iota // a word leaves its NIC
	lanePort        // a packet passes a switch
	laneLand        // a word lands
)

// ackStages is the number of send stages that a packet made by the hardware passes. They are
// the last stages of Send: size decision, send-buffer handshake and SWIF.
const ackStages = 3

// New returns a network whose nodes are not yet open.
func New(cfg Config, line *event.Timeline, trace *event.Trace) *Network {
	w := &Network{cfg: cfg, line: line, trace: trace, preset: cfg.Preset, nodes: make([]Node, cfg.Nodes)}
	nic := &w.preset.NIC
	w.sendTime, w.receiveTime = presets.Total(nic.Send), presets.Total(nic.Receive)
	w.ackTime = presets.Total(nic.Send[len(nic.Send)-ackStages:])
	if cfg.UDP == nil && !w.preset.BackToBack(cfg.Nodes) {
		w.fabric = newFabric(cfg.Nodes, w.preset.Switch.Ports)
	}
	switch {
	case !cfg.LookAhead:
	case w.fabric != nil:
		w.flight = w.earliest(1)
	default:
		w.flight = w.earliest(0)
	}
	return w
}

// Open makes a node ready, and returns it.
func (w *Network) Open(rank dimmnet.Rank) *Node {
	n := &w.nodes[rank]
	n.net, n.rank = w, rank
	n.memory = make(llcm, (w.preset.Limits.LLCM+llcmChunk-1)/llcmChunk)
	if w.cfg.UDP == nil {
		n.Bank, n.network = make(Memory), make(Memory)
	}
	return n
}

// Handle lets an event of a kind before Frame happen.
func (w *Network) Handle(e event.Event) {
	switch e.Kind {
	case hop:
		w.hopped(e.Ref, e.At)
	case enter:
		w.entered(e.Ref, e.At)
	case rdma:
		w.work(dimmnet.Rank(e.Ref), e.At)
	case Land:
		w.landed(e.Ref, e.At)
	case free:
		n := &w.nodes[e.Ref]
		n.freeAt = 0
		n.arrivals++
		n.expected.remove(e.At)
	case switched:
		w.forwardFrame(e.Ref, e.At)
	}
}

// Concerns returns the rank whose threads can notice an event, if there is one.
func (w *Network) Concerns(e *event.Event) (rank dimmnet.Rank, concerned bool) {
	switch e.Kind {
	case Land:
		p := w.packets.At(e.Ref)
		return p.dst, p.kind != kindPull && int(p.off) < w.preset.Limits.LLCM
	case free: // an idling thread must stop within a polling pass
		return dimmnet.Rank(e.Ref), true
	case rdma: // a thread may wait for a free entry in the engine's queue
		return dimmnet.Rank(e.Ref), w.nodes[e.Ref].engine.waiting
	}
	return 0, false
}

// Overwritten returns the word that the packet of a Land event will change, if it changes one word
// and threads look ahead.
func (w *Network) Overwritten(ref int32) (off dimmnet.Offset, word uint64, ok bool) {
	p := w.packets.At(ref)
	if w.flight == 0 || p.kind != kindStore && p.kind != kindAck {
		return 0, 0, false
	}
	off = p.off &^ (dimmnet.WordBytes - 1)
	return off, w.nodes[p.dst].memory.load(off), true
}

// Refused describes a packet that its receiver refused, or that its sender's NIC did not send.
type Refused struct {
	At       dimmnet.Time
	From, To dimmnet.Rank
	Reason   martini.Refusal
}

const maxRefused = 100

// Report adds a refusal to the network's list.
func (w *Network) Report(r Refused) {
	if len(w.totals.Refused) < maxRefused {
		w.totals.Refused = append(w.totals.Refused, r)
	}
}

// Totals are the counts of a network.
type Totals struct {
	NIC     martini.Counts // sum over all NICs
	Refused []Refused      // the first packets that were refused, at most 100
	UDP     UDPCounts      // on a UDP network
	Held    uint64         // packets that partitions have held
}

// Totals returns the counts so far.
func (w *Network) Totals() Totals {
	t := w.totals
	for i := range w.nodes {
		t.NIC = t.NIC.Plus(w.nodes[i].Chip.Counts())
	}
	return t
}
