package sim

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// engine is the part of a NIC that moves blocks of memory. It serves one request after the
// other, and sends a packet whenever the link is free. Stores and blocks go in between.
type engine struct {
	queue   []int32 // transfers; the first is under way
	uses    int     // transfers that use this node's bulk memory
	waiting bool    // a post failed because the queue was full
	own     int     // transfers in the queue whose data stay at this node
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
	queued   bool
	refused  bool
	known    bool     // whether the owner knows that the transfer was refused
	bulk     [2]int32 // ranks whose bulk memory the transfer uses, or -1
}

// refusedStatus marks the status word of a refused request; the reason is in its low bits.
const refusedStatus = 1 << 63

func (k *kernel) request(t transfer) {
	t.bulk = [2]int32{-1, k.inBulk(t.dst, &t.header)}
	if t.pull {
		t.bulk[0] = k.inBulk(t.src, &t.ask)
	} else if int(t.from) >= k.preset.Limits.LLCM {
		t.bulk[0] = int32(t.src)
	}
	k.useBulk(&t, 1)
	k.enqueue(t.owner, k.transfers.put(t))
}

func (k *kernel) useBulk(t *transfer, count int) {
	for _, rank := range t.bulk {
		if rank >= 0 {
			k.nodes[rank].engine.uses += count
		}
	}
}

// inBulk returns rank if the address in h lies in that node's bulk memory, otherwise -1.
func (k *kernel) inBulk(rank dimmnet.Rank, h *martini.Header) int32 {
	if base, ok := k.nodes[rank].chip.Base(h.Owner, h.Region); ok && int64(base)+int64(h.Addr) >= int64(k.preset.Limits.LLCM) {
		return int32(rank)
	}
	return -1
}

func (k *kernel) enqueue(rank dimmnet.Rank, ref int32) {
	e := &k.nodes[rank].engine
	e.queue = append(e.queue, ref)
	t := k.transfers.at(ref)
	t.queued = true
	if t.src == t.dst {
		e.own++
	}
	if len(e.queue) == 1 {
		k.schedule(t.ready, evRDMA, int32(rank))
	}
}

func (k *kernel) work(rank dimmnet.Rank, at dimmnet.Time) {
	n := &k.nodes[rank]
	e := &n.engine
	ref := e.queue[0]
	t := k.transfers.at(ref)
	switch {
	case t.known:
		e.next(k, rank, at)
		k.endIfDone(ref)
		return
	case t.pull && !t.asked:
		t.asked = true
		k.send(packet{kind: kindPull, header: t.ask, ref: ref, src: rank, dst: t.src}, at)
		e.next(k, rank, at)
		return
	}
	size := min(t.bytes-t.sent, k.preset.PushBytes)
	h := t.header
	h.Addr += uint32(t.sent)
	h.Length, h.Rest = size, t.bytes-t.sent-size
	block := k.packets.blockOf(size)
	k.readNetwork(n, block, t.from+dimmnet.Offset(t.sent))
	t.sent += size
	departure := k.send(packet{kind: kindData, header: h, block: block, size: int32(size), ref: ref, src: rank, dst: t.dst}, at)
	if t.sent == t.bytes {
		e.next(k, rank, at)
		return
	}
	k.schedule(max(departure, at+dimmnet.Time(size)*k.preset.NIC.BankByte), evRDMA, int32(rank))
}

// next removes the queue's first transfer, and wakes threads that wait for a free entry.
func (e *engine) next(k *kernel, rank dimmnet.Rank, at dimmnet.Time) {
	t := k.transfers.at(e.queue[0])
	t.queued = false
	if t.src == t.dst {
		e.own--
	}
	e.queue = e.queue[:copy(e.queue, e.queue[1:])]
	if len(e.queue) > 0 {
		k.schedule(max(at, k.transfers.at(e.queue[0]).ready), evRDMA, int32(rank))
	}
	if e.waiting {
		e.waiting = false
		k.scheduleFree(rank, at)
	}
}

// readNetwork reads NIC memory; in bulk memory it reads the side of the network.
func (k *kernel) readNetwork(n *node, p []byte, off dimmnet.Offset) {
	if llcm := dimmnet.Offset(k.preset.Limits.LLCM); off >= llcm {
		n.network.Read(p, off-llcm)
		return
	}
	n.memory.read(p, off)
}

func (k *kernel) answerPull(p *packet, at dimmnet.Time) {
	t := k.transfers.at(p.ref)
	t.from, t.ready = p.off, at+k.preset.NIC.PushStart
	k.enqueue(p.dst, p.ref)
}

// dataLanded counts a data packet that landed. The last one sends a status word to the owner.
func (k *kernel) dataLanded(p *packet, at dimmnet.Time) {
	t := k.transfers.at(p.ref)
	t.landed += int(p.size)
	if t.landed == t.bytes && !t.refused {
		from := t.dst
		if t.pull { // the owner's own NIC sends the word to itself
			from = t.owner
		}
		k.ack(from, t.owner, t.done, uint64(t.bytes), at, -1)
	}
	k.endIfDone(p.ref)
}

// transferRefused reports a refusal to the owner. The engine stops when the owner knows.
func (k *kernel) transferRefused(p *packet, why martini.Refusal, at dimmnet.Time) {
	t := k.transfers.at(p.ref)
	t.landed += int(p.size)
	if !t.refused {
		t.refused = true
		k.ack(p.dst, t.owner, t.done, refusedStatus|uint64(why), at, p.ref)
	}
}

// ownerKnows marks a refused transfer as known to its owner.
func (k *kernel) ownerKnows(ref int32) {
	k.transfers.at(ref).known = true
	k.endIfDone(ref)
}

func (k *kernel) endIfDone(ref int32) {
	t := k.transfers.at(ref)
	if t.queued || t.landed < t.sent || t.refused && !t.known || t.sent < t.bytes && !t.refused {
		return
	}
	k.useBulk(t, -1)
	k.transfers.free(ref)
}

// Push writes a request to the NIC: 32 bytes and a kick, all uncached.
func (th *thread) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	k := th.k
	k.preset.Limits.CheckRDMA(len(k.nodes), dst, from, to, n, done)
	h := k.portHeader(martini.CommandPush, dst, to, n)
	if !th.post(transfer{owner: th.rank, src: th.rank, dst: dst, header: h, from: from, bytes: n, done: done}) {
		return false
	}
	th.counters.Pushes++
	th.counters.Bytes += uint64(n)
	return true
}

// Pull writes a request to the NIC, as Push does.
func (th *thread) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	k := th.k
	k.preset.Limits.CheckRDMA(len(k.nodes), src, from, to, n, done)
	h := k.portHeader(martini.CommandPush, th.rank, to, n)
	ask := k.portHeader(martini.CommandPull, src, from, n)
	if !th.post(transfer{owner: th.rank, src: src, dst: th.rank, header: h, ask: ask, bytes: n, done: done, pull: true}) {
		return false
	}
	th.counters.Pulls++
	th.counters.Bytes += uint64(n)
	return true
}

// post hands a transfer to the NIC. It returns false if every window already holds a request.
func (th *thread) post(t transfer) bool {
	k := th.k
	th.sync()
	e := &th.node.engine
	if k.err != nil || len(e.queue) >= k.preset.Windows {
		e.waiting = true
		th.now += k.preset.Host.Read // the read of the status
		return false
	}
	th.fillWindow(0, Uncached)
	t.ready = th.now + k.sendTime + k.preset.NIC.PushStart
	k.request(t)
	return true
}

// Fill writes to the bank that faces the host, at the speed of the bus or of the bank.
func (th *thread) Fill(off dimmnet.Offset, p []byte) {
	k := th.k
	k.preset.Limits.CheckFill(off, len(p))
	th.observe() // only the node's own thread uses the host's side
	th.now += k.bankTime(len(p))
	th.node.host.Write(off-dimmnet.Offset(k.preset.Limits.LLCM), p)
}

// bankTime returns the time that the host needs to copy n bytes to or from its bank.
func (k *kernel) bankTime(n int) dimmnet.Time {
	words := (n + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	return dimmnet.Time(words) * max(k.preset.Host.Fill, dimmnet.WordBytes*k.preset.NIC.BankByte)
}

// Flip swaps the banks. During a transfer that uses a bank, a swap would mix the data of both
// banks; such a Flip fails the run.
func (th *thread) Flip() {
	k := th.k
	n := th.node
	th.now += k.preset.Host.Write
	th.sync()
	if u := n.engine.uses; u > 0 && k.err == nil {
		k.fail(fmt.Errorf("sim: at %v rank %d calls Flip while %d transfers use its banks; wait for their done words first", th.now, th.rank, u))
		return
	}
	n.host, n.network = n.network, n.host
	th.now += k.preset.NIC.Flip
}
