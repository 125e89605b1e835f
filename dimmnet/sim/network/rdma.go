package network

import (
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// engine is the part of a NIC that moves blocks of memory. It serves one request after the
// other, and sends a packet whenever the link is free. Stores and blocks go in between.
type engine struct {
	queue   []int32      // transfers; the first is under way
	uses    int          // transfers that use this node's bulk memory
	waiting bool         // a post failed because the queue was full
	own     int          // transfers in the queue whose data stay at this node
	until   dimmnet.Time // the last packet of the transfer before has left; kept for Passed
}

// transfer is a PUSH, or a PULL: a request to the peer and the PUSH that answers it.
type transfer struct {
	owner    dimmnet.Rank   // rank that requested it
	src, dst dimmnet.Rank   // source and destination of the data
	header   martini.Header // header of the data
	ask      martini.Header // header of a PULL's request
	from     dimmnet.Offset // address at src; for a PULL, set when the request was accepted there
	bytes    int
	sent     int
	landed   int            // bytes that have landed or were refused
	done     dimmnet.Offset // address of the status word in the owner's LLCM
	pull     bool
	asked    bool         // whether the request of a PULL has left
	ready    dimmnet.Time // when the engine may begin
	began    dimmnet.Time // when it has begun: at the owner and, of a PULL, at the source
	queued   bool
	refused  bool
	known    bool     // whether the owner knows that the transfer was refused
	bulk     [2]int32 // ranks whose bulk memory the transfer uses, or -1
}

// refusedStatus marks the status word of a refused request; the reason is in its low bits.
const refusedStatus = 1 << 63

// request starts a transfer, which has been written at the time written.
func (n *Node) request(t transfer, written dimmnet.Time) {
	w := n.net
	t.ready = written + w.sendTime + w.preset.NIC.PushStart
	t.bulk = [2]int32{-1, w.inBulk(t.dst, &t.header)}
	if t.pull {
		t.bulk[0] = w.inBulk(t.src, &t.ask)
	} else if int(t.from) >= w.preset.Limits.LLCM {
		t.bulk[0] = int32(t.src)
	}
	w.useBulk(&t, 1)
	w.enqueue(t.owner, w.transfers.Put(t))
}

func (w *Network) useBulk(t *transfer, count int) {
	for _, rank := range t.bulk {
		if rank >= 0 {
			w.nodes[rank].engine.uses += count
		}
	}
}

// inBulk returns rank if the address in h lies in that node's bulk memory, otherwise -1.
func (w *Network) inBulk(rank dimmnet.Rank, h *martini.Header) int32 {
	if base, ok := w.nodes[rank].Chip.Base(h.Owner, h.Region); ok && int64(base)+int64(h.Addr) >= int64(w.preset.Limits.LLCM) {
		return int32(rank)
	}
	return -1
}

func (w *Network) enqueue(rank dimmnet.Rank, ref int32) {
	e := &w.nodes[rank].engine
	e.queue = append(e.queue, ref)
	t := w.transfers.At(ref)
	t.queued = true
	if t.src == t.dst {
		e.own++
	}
	if len(e.queue) == 1 {
		w.line.Schedule(t.ready, rdma, int32(rank))
	}
}

// work lets the engine of a node send its next packet.
func (w *Network) work(rank dimmnet.Rank, at dimmnet.Time) {
	n := &w.nodes[rank]
	e := &n.engine
	ref := e.queue[0]
	t := w.transfers.At(ref)
	if t.sent == 0 {
		t.began = at
	}
	switch {
	case t.known:
		e.next(w, rank, at, at)
		w.endIfDone(ref)
		return
	case t.pull && !t.asked:
		t.asked = true
		left := w.send(packet{kind: kindPull, header: t.ask, ref: ref, src: rank, dst: t.src}, at, at)
		e.next(w, rank, at, left)
		return
	}
	size := min(t.bytes-t.sent, w.preset.PushBytes)
	h := t.header
	h.Addr += uint32(t.sent)
	h.Length, h.Rest = size, t.bytes-t.sent-size
	block := w.packets.blockOf(size)
	w.readNetwork(n, block, t.from+dimmnet.Offset(t.sent))
	t.sent += size
	departure := w.send(packet{kind: kindData, header: h, block: block, size: int32(size), ref: ref, src: rank, dst: t.dst}, at, at)
	if t.sent == t.bytes {
		e.next(w, rank, at, departure)
		return
	}
	w.line.Schedule(max(departure, at+dimmnet.Time(size)*w.preset.NIC.BankByte), rdma, int32(rank))
}

// next removes the queue's first transfer, whose last packet has left at the time left, and wakes
// threads that wait for a free entry.
func (e *engine) next(w *Network, rank dimmnet.Rank, at, left dimmnet.Time) {
	t := w.transfers.At(e.queue[0])
	if w.cfg.Passed != nil {
		w.served(rank, t, left)
	}
	t.queued = false
	if t.src == t.dst {
		e.own--
	}
	e.queue = e.queue[:copy(e.queue, e.queue[1:])]
	if len(e.queue) > 0 {
		w.line.Schedule(max(at, w.transfers.At(e.queue[0]).ready), rdma, int32(rank))
	}
	if e.waiting {
		e.waiting = false
		w.scheduleFree(rank, at)
	}
}

// readNetwork reads NIC memory; in bulk memory it reads the side of the network.
func (w *Network) readNetwork(n *Node, p []byte, off dimmnet.Offset) {
	if llcm := dimmnet.Offset(w.preset.Limits.LLCM); off >= llcm {
		n.network.Read(p, off-llcm)
		return
	}
	n.memory.read(p, off)
}

func (w *Network) answerPull(p *packet, at dimmnet.Time) {
	t := w.transfers.At(p.ref)
	t.from, t.ready = p.off, at+w.preset.NIC.PushStart
	w.enqueue(p.dst, p.ref)
}

// dataLanded counts a data packet that landed. The last one sends a status word to the owner.
func (w *Network) dataLanded(p *packet, at dimmnet.Time) {
	t := w.transfers.At(p.ref)
	t.landed += int(p.size)
	if t.landed == t.bytes && !t.refused {
		from := t.dst
		if t.pull { // the owner's own NIC sends the word to itself
			from = t.owner
		}
		w.ack(from, t.owner, t.done, uint64(t.bytes), at, -1)
	}
	w.endIfDone(p.ref)
}

// transferRefused reports a refusal to the owner. The engine stops when the owner knows.
func (w *Network) transferRefused(p *packet, why martini.Refusal, at dimmnet.Time) {
	t := w.transfers.At(p.ref)
	t.landed += int(p.size)
	if !t.refused {
		t.refused = true
		w.ack(p.dst, t.owner, t.done, refusedStatus|uint64(why), at, p.ref)
	}
	w.endIfDone(p.ref) // the owner may know already
}

func (w *Network) endIfDone(ref int32) {
	t := w.transfers.At(ref)
	if t.queued || t.landed < t.sent || t.refused && !t.known || t.sent < t.bytes && !t.refused {
		return
	}
	w.useBulk(t, -1)
	w.transfers.Free(ref)
}
