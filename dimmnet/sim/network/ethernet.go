package network

import "github.com/fagus-dsm/fagus/dimmnet"

// cables holds the times from which the two directions of a host's cable are free.
type cables struct {
	up   dimmnet.Time // to the switch
	down dimmnet.Time // from the switch: its output port
}

// transmit puts a frame on p.src's cable after earlier frames. at is when the switch has it.
func (w *Network) transmit(p *packet, ready dimmnet.Time) (at dimmnet.Time) {
	up := &w.nodes[p.src].cables.up
	start := max(*up, ready)
	*up = start + w.frameTime(p)
	if w.cfg.Passed != nil {
		w.passed(p, CableOut, int(p.src), ready, start, *up, 0)
	}
	return *up
}

func (w *Network) frameTime(p *packet) dimmnet.Time {
	e := &w.preset.Ethernet
	if p.kind == kindNotice {
		return e.WireTime(e.NoticeIP)
	}
	return e.DatagramTime(int(p.size))
}

// forwardFrame handles a frame that the Ethernet switch has received.
func (w *Network) forwardFrame(ref int32, at dimmnet.Time) {
	p := w.packets.At(ref)
	down := &w.nodes[p.dst].cables.down
	ready := at + w.preset.Ethernet.Switch
	start := max(*down, ready)
	*down = start + w.frameTime(p)
	if w.cfg.Passed != nil {
		w.passed(p, CableIn, int(p.dst), ready, start, *down, *down)
	}
	w.line.Schedule(*down, Frame, ref)
}

// Notify sends a notice to another node's host over the Ethernet.
func (n *Node) Notify(dst dimmnet.Rank, at dimmnet.Time) {
	w := n.net
	p := packet{kind: kindNotice, src: n.rank, dst: dst}
	w.line.Schedule(w.held(n.rank, dst, w.transmit(&p, at)), switched, w.packets.Put(p))
}

// Received is a frame that a host has received: a notice, if it has no bytes, or a datagram.
type Received struct {
	From, To dimmnet.Rank
	Datagram []byte
	Damaged  bool // the datagram has a wrong checksum
}

// Received returns the frame of a Frame event. It is valid until Release.
func (w *Network) Received(ref int32) Received {
	p := w.packets.At(ref)
	return Received{From: p.src, To: p.dst, Datagram: p.block, Damaged: p.damaged}
}

// Release frees the frame of a Frame event.
func (w *Network) Release(ref int32) { w.packets.Free(ref) }
