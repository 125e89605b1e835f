package sim

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/reliable"
)

// end is one end of the connection between two ranks, in the kernel of its own.
type end struct {
	conn      *reliable.Conn
	own, peer dimmnet.Rank
	ref       int32        // among the ends of all nodes
	timer     dimmnet.Time // when its event happens, if armed; other events of it are stale
	armed     bool
	wanted    bool // a thread was refused a post
	draws     uint64
}

// end is own's end of the connection with peer.
func (k *kernel) end(own, peer dimmnet.Rank) *end {
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

// pump lets the datagrams of an end leave whose time has come. What a thread sends
// it has paid for; what the kernel sends by itself takes the time of a CPU.
func (k *kernel) pump(e *end, at dimmnet.Time, paid bool) {
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
		k.emit(e, d, ready)
	}
	if err := e.conn.Err(); err != nil {
		k.fail(fmt.Errorf("sim: at %v rank %d gives up to reach rank %d: the network loses too much; lower the loss, or raise tries in the udp table of the preset: %w",
			at, e.own, e.peer, err))
		return
	}
	k.arm(e)
}

// arm makes sure that there is an event at the deadline of an end, or before.
func (k *kernel) arm(e *end) {
	at, ok := e.conn.Deadline()
	if !ok || e.armed && e.timer <= at {
		return
	}
	e.timer, e.armed = at, true
	k.schedule(at, evTimer, e.ref)
}

// timeIsUp is an event of an end, which may have got another deadline since.
func (k *kernel) timeIsUp(ref int32, at dimmnet.Time) {
	e := k.ends[ref]
	if !e.armed || at != e.timer || k.err != nil {
		return
	}
	e.armed = false
	if due, ok := e.conn.Deadline(); !ok || due > at {
		k.arm(e)
		return
	}
	k.count(at)
	k.pump(e, at, false)
}

// protocol lets the kernel of a node work for d from at on, behind what it does
// already, and says when it is done. A CPU that no thread has does it; if there is
// none, a thread loses the time.
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

// interrupted lets the receiver of a datagram see it.
func (k *kernel) interrupted(ref int32, at dimmnet.Time) {
	p, u := k.packets.at(ref), &k.preset.UDP
	k.schedule(k.nodes[p.dst].protocol(at, u.Receive+dimmnet.Time(p.size)*u.ReceiveByte), evDatagram, ref)
}

// receive takes a datagram out of the protocol stack: what it brings lands, and who
// slept goes on.
func (k *kernel) receive(ref int32, at dimmnet.Time) {
	p := k.packets.at(ref)
	if p.damaged {
		k.packets.free(ref)
		return
	}
	e, n := k.end(p.dst, p.src), &k.nodes[p.dst]
	payloads, err := e.conn.Receive(at, p.block)
	news := len(payloads) > 0
	for _, b := range payloads {
		if err == nil {
			err = k.landRecords(e, b, at)
		}
	}
	k.packets.free(ref)
	if err != nil {
		k.fail(fmt.Errorf("sim: at %v from rank %d to rank %d: %w", at, e.peer, e.own, err))
		return
	}
	k.pump(e, at, false)
	if e.wanted && e.conn.Room() {
		e.wanted, news = false, true
		n.arrivals++
	}
	if news {
		n.rouseAll(at)
	}
}

// landRecords writes what a payload brings to the memory of its receiver.
func (k *kernel) landRecords(e *end, payload []byte, at dimmnet.Time) error {
	n := &k.nodes[e.own]
	for len(payload) > 0 {
		off, b, rest, err := cutRecord(payload, k.preset.Limits.LLCM)
		if err != nil {
			return err
		}
		n.memory.write(off, b)
		n.arrivals++
		k.trace.land(at, &packet{block: b, off: off, size: int32(len(b)), src: e.peer, dst: e.own})
		payload = rest
	}
	return nil
}

// rouseAll wakes the threads of a node that idle without a CPU.
func (n *node) rouseAll(at dimmnet.Time) {
	for _, th := range n.sleepers {
		th.wantCPU(at, nil)
	}
	n.sleepers = n.sleepers[:0]
}
