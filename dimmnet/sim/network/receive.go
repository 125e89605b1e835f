package network

import (
	"encoding/binary"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// entered handles the head of a packet, which reaches the receiver.
func (w *Network) entered(ref int32, at dimmnet.Time) {
	p := w.packets.At(ref)
	n := &w.nodes[p.dst]
	size := int(p.size)
	start := max(at, n.receiveFree)
	byteTime := w.preset.NIC.ByteTime
	n.receiveFree = start + dimmnet.Time(w.preset.HeaderBytes+size)*byteTime + w.preset.NIC.Gap
	// The stages were measured with a word; a longer payload follows it at the speed of the link.
	land := start + dimmnet.Time(max(0, size-dimmnet.WordBytes))*byteTime + w.receiveTime
	if p.src == p.dst {
		land -= w.preset.NIC.Own
	}
	// a Port's store has no command: its header seed needs no check
	if p.header.Command != 0 {
		var hit bool
		var refusal martini.Refusal
		p.off, hit, refusal = n.Chip.Admit(&p.header, w.preset.Limits.LLCM+w.preset.Limits.Bulk)
		if !hit {
			n.receiveFree += w.preset.NIC.TLBRefill
			land += w.preset.NIC.TLBRefill
		}
		if refusal != martini.Admitted {
			if w.cfg.Passed != nil {
				w.passed(p, Receiver, int(p.dst), at, start, n.receiveFree, 0)
			}
			w.refuse(ref, refusal, land)
			return
		}
		if p.kind == kindStore && !p.header.Command.Known() {
			land = n.interrupt(land, w.preset.NIC.Interrupt)
		}
	}
	if w.cfg.Passed != nil {
		w.passed(p, Receiver, int(p.dst), at, start, n.receiveFree, land)
	}
	w.expectAt(p, land)
	if land == at+w.receiveTime {
		w.line.ScheduleLane(laneLand, land, Land, ref)
		return
	}
	w.line.Schedule(land, Land, ref)
}

// refuse drops a packet. It adds the packet to the run's result and, if the sender waits for an
// ACK, sends it a status word.
func (w *Network) refuse(ref int32, why martini.Refusal, at dimmnet.Time) {
	p := w.packets.At(ref)
	w.arrived(p)
	w.Report(Refused{At: at, From: p.src, To: p.dst, Reason: why})
	switch p.kind {
	case kindBlock:
		if p.ref >= 0 {
			w.ack(p.dst, p.src, dimmnet.Offset(p.ref), refusedStatus|uint64(why), at, -1)
		}
	case kindData, kindPull:
		w.transferRefused(p, why, at)
	}
	w.packets.Free(ref)
}

// landed handles the bytes of a packet, which appear in memory.
func (w *Network) landed(ref int32, at dimmnet.Time) {
	p := w.packets.At(ref)
	n := &w.nodes[p.dst]
	switch p.kind {
	case kindStore, kindAck:
		if int(p.off) < w.preset.Limits.LLCM {
			n.memory.store(p.off, p.word, int(p.size))
			n.arrivals++
		} else { // only a User stores to bulk memory; a Port uses blocks
			w.landBytes(n, p.off, binary.LittleEndian.AppendUint64(nil, p.word)[:p.size])
		}
	case kindBlock, kindData:
		w.landBytes(n, p.off, p.block)
	}
	if p.block == nil {
		w.trace.Word(at, p.src, p.dst, p.off, p.word, int(p.size))
	} else {
		w.trace.Bytes(at, p.src, p.dst, uint64(p.off), p.block[:p.size])
	}
	w.arrived(p)
	switch {
	case p.kind == kindBlock && p.ref >= 0:
		w.ack(p.dst, p.src, dimmnet.Offset(p.ref), uint64(p.size), at, -1)
	case p.kind == kindData:
		w.dataLanded(p, at)
	case p.kind == kindPull:
		w.answerPull(p, at)
	case p.kind == kindAck && p.ref >= 0:
		w.transfers.At(p.ref).known = true
		w.endIfDone(p.ref)
	}
	w.packets.Free(ref)
}

// landBytes writes b to the LLCM, which the host can poll, or to the bulk memory's network side,
// which the host cannot see.
func (w *Network) landBytes(n *Node, off dimmnet.Offset, b []byte) {
	if llcm := dimmnet.Offset(w.preset.Limits.LLCM); off >= llcm {
		n.network.Write(off-llcm, b)
		return
	}
	n.memory.write(off, b)
	n.arrivals++
}

// ack sends a status word that the hardware makes. ref is the transfer whose owner learns of a
// refusal by the word, or -1.
func (w *Network) ack(from, to dimmnet.Rank, off dimmnet.Offset, status uint64, at dimmnet.Time, ref int32) {
	w.send(packet{kind: kindAck, word: status, off: off, size: dimmnet.WordBytes, ref: ref, src: from, dst: to}, at+w.ackTime, at+w.ackTime)
}
