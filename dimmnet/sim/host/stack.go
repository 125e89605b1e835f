package host

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/reliable"
)

type stack struct {
	ends         []*end       // ends of the node's connections, by peer; nil if unused
	open         gather       // posts that have not left
	protocolFree dimmnet.Time // when the stack has finished with datagrams
}

// end is one end of the connection between two ranks, in the protocol stack of its host.
type end struct {
	conn      *reliable.Conn
	own, peer dimmnet.Rank
	ref       int32        // index in Kernel.ends
	timer     dimmnet.Time // time of its valid event if armed; its other events are stale
	armed     bool
	wanted    bool // a post failed because the window was full
}

func (k *Kernel) end(own, peer dimmnet.Rank) *end {
	n := &k.nodes[own]
	if n.ends == nil {
		n.ends = make([]*end, len(k.nodes))
	}
	if n.ends[peer] == nil {
		n.ends[peer] = &end{conn: reliable.New(k.preset.UDP.Conn), own: own, peer: peer, ref: int32(len(k.ends))}
		k.ends = append(k.ends, n.ends[peer])
	}
	return n.ends[peer]
}

// pump sends the datagrams of an end that are due. If paid is true, the thread has already paid
// for them; otherwise the stack sends them by itself, which uses CPU time.
func (k *Kernel) pump(e *end, at dimmnet.Time, paid bool) {
	if k.err != nil {
		return
	}
	u := &k.preset.UDP
	for d := e.conn.Next(at, k.datagram[:0]); d != nil; d = e.conn.Next(at, d[:0]) {
		k.datagram = d
		ready := at
		if !paid {
			ready = k.nodes[e.own].protocol(at, u.Reply+dimmnet.Time(len(d))*u.SendByte)
		}
		k.nodes[e.own].net.Emit(e.peer, d, ready)
	}
	if err := e.conn.Err(); err != nil {
		k.fail(fmt.Errorf("sim: at %v rank %d cannot reach rank %d: too many datagrams are lost; lower the loss, or raise tries in the [udp] table of presets/presets.toml: %w",
			at, e.own, e.peer, err))
		return
	}
	k.arm(e)
}

// arm makes sure that an event is scheduled at or before the deadline of e.
func (k *Kernel) arm(e *end) {
	at, ok := e.conn.Deadline()
	if !ok || e.armed && e.timer <= at {
		return
	}
	e.timer, e.armed = at, true
	k.line.Schedule(at, evTimer, e.ref)
}

// timerEvent handles a timer event of an end. The end's deadline may have changed since.
func (k *Kernel) timerEvent(ref int32, at dimmnet.Time) {
	e := k.ends[ref]
	if !e.armed || at != e.timer || k.err != nil {
		return
	}
	e.armed = false
	if due, ok := e.conn.Deadline(); !ok || due > at {
		k.arm(e)
		return
	}
	k.line.Happened(at)
	k.pump(e, at, false)
}

// protocol makes a node's stack work for d from the time at, after its earlier work. It returns the
// end of the work. The stack uses a free CPU; if none is free, a running thread pays.
func (n *node) protocol(at, d dimmnet.Time) (done dimmnet.Time) {
	n.protocolFree = max(n.protocolFree, at) + d
	if n.cpus == 0 {
		for _, th := range n.threads {
			if th.state == running {
				th.debt += d
				break
			}
		}
	}
	return n.protocolFree
}

// frame handles a frame that a host has received.
func (k *Kernel) frame(ref int32, at dimmnet.Time) {
	f, u := k.net.Received(ref), &k.preset.UDP
	if f.Datagram == nil {
		k.line.Schedule(at+k.preset.Host.Notice, evNotice, int32(f.To))
		k.net.Release(ref)
		return
	}
	done := k.nodes[f.To].protocol(at, u.Receive+dimmnet.Time(len(f.Datagram))*u.ReceiveByte)
	k.line.Schedule(done, evDatagram, ref)
}

// receive takes a datagram out of the stack: its records land, and sleeping threads wake up.
func (k *Kernel) receive(ref int32, at dimmnet.Time) {
	f := k.net.Received(ref)
	if f.Damaged {
		k.net.Release(ref)
		return
	}
	e, n := k.end(f.To, f.From), &k.nodes[f.To]
	payloads, err := e.conn.Receive(at, f.Datagram)
	arrived := len(payloads) > 0
	for _, b := range payloads {
		if err == nil {
			err = k.landRecords(e, b, at)
		}
	}
	k.net.Release(ref)
	if err != nil {
		k.fail(fmt.Errorf("sim: at %v, datagram from rank %d to rank %d: %w", at, e.peer, e.own, err))
		return
	}
	k.pump(e, at, false)
	if e.wanted && e.conn.HasSpace() {
		e.wanted, arrived = false, true
		n.net.Arrive()
	}
	if arrived {
		n.wakeSleepers(at)
	}
}

func (k *Kernel) landRecords(e *end, payload []byte, at dimmnet.Time) error {
	n := &k.nodes[e.own]
	for len(payload) > 0 {
		off, b, rest, err := cutRecord(payload, k.preset.Limits.LLCM)
		if err != nil {
			return err
		}
		n.net.Deposit(e.peer, off, b, at)
		payload = rest
	}
	return nil
}

func (n *node) wakeSleepers(at dimmnet.Time) {
	for _, th := range n.sleepers {
		th.wake(at, nil)
	}
	n.sleepers = n.sleepers[:0]
}
