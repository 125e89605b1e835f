package sim

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// engine is a NIC's part that moves blocks of memory: one request after the
// other, a packet whenever the link is free. Stores and blocks go in between.
type engine struct {
	queue   []int32 // transfers, the first of them under way
	uses    int     // transfers that use this node's bulk memory
	waiting bool    // a thread was refused a place in the queue
}

// transfer is a PUSH, or a PULL: a request to the peer, and its PUSH in answer.
type transfer struct {
	owner    dimmnet.Rank   // whose program asked for it
	src, dst dimmnet.Rank   // of the data
	header   martini.Header // of the data
	ask      martini.Header // of a PULL's request
	from     dimmnet.Offset // at src; of a PULL when it was let in there
	bytes    int
	sent     int
	landed   int            // or refused
	done     dimmnet.Offset // in the owner's LLCM
	pull     bool
	asked    bool         // a PULL's request has left
	ready    dimmnet.Time // the engine may begin
	queued   bool
	refused  bool
	known    bool     // to the owner, that it was refused
	bulk     [2]int32 // the nodes whose bulk memory it uses, or -1
}

// refusedStatus marks a status word of something that was refused; the reason
// is in its low bits.
const refusedStatus = 1 << 63

// request puts a transfer into the queue of the rank that asked for it.
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

// useBulk counts a transfer at the nodes whose bulk memory it uses.
func (k *kernel) useBulk(t *transfer, count int) {
	for _, rank := range t.bulk {
		if rank >= 0 {
			k.nodes[rank].engine.uses += count
		}
	}
}

// inBulk is the rank of a header's node if its place there is in the bulk memory,
// or -1.
func (k *kernel) inBulk(rank dimmnet.Rank, h *martini.Header) int32 {
	if base, ok := k.nodes[rank].chip.Base(h.Owner, h.Region); ok && int64(base)+int64(h.Addr) >= int64(k.preset.Limits.LLCM) {
		return int32(rank)
	}
	return -1
}

func (k *kernel) enqueue(rank dimmnet.Rank, ref int32) {
	e := &k.nodes[rank].engine
	e.queue = append(e.queue, ref)
	k.transfers.at(ref).queued = true
	if len(e.queue) == 1 {
		k.schedule(k.transfers.at(ref).ready, evRDMA, int32(rank))
	}
}

// work lets the engine of a node send its next packet.
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

// next takes the first transfer off the queue; whoever waits for a place is
// woken.
func (e *engine) next(k *kernel, rank dimmnet.Rank, at dimmnet.Time) {
	k.transfers.at(e.queue[0]).queued = false
	e.queue = e.queue[:copy(e.queue, e.queue[1:])]
	if len(e.queue) > 0 {
		k.schedule(max(at, k.transfers.at(e.queue[0]).ready), evRDMA, int32(rank))
	}
	if e.waiting {
		e.waiting = false
		k.schedule(at, evFree, int32(rank))
	}
}

// readNetwork reads NIC memory as the network sees it.
func (k *kernel) readNetwork(n *node, p []byte, off dimmnet.Offset) {
	if llcm := dimmnet.Offset(k.preset.Limits.LLCM); off >= llcm {
		n.network.read(p, off-llcm)
		return
	}
	n.memory.read(p, off)
}

// answerPull starts the PUSH that a PULL's request asked for.
func (k *kernel) answerPull(p *packet, at dimmnet.Time) {
	t := k.transfers.at(p.ref)
	t.from, t.ready = p.off, at+k.preset.NIC.PushStart
	k.enqueue(p.dst, p.ref)
}

// dataLanded ends a transfer when its last packet is there: with a status word
// to whoever asked.
func (k *kernel) dataLanded(p *packet, at dimmnet.Time) {
	t := k.transfers.at(p.ref)
	t.landed += int(p.size)
	if t.landed == t.bytes && !t.refused {
		from := t.dst
		if t.pull { // its own NIC knows: the word turns round there
			from = t.owner
		}
		k.ack(from, t.owner, t.done, uint64(t.bytes), at, -1)
	}
	k.endIfDone(p.ref)
}

// transferRefused tells the owner that a packet was refused; what it has not sent
// by then stays.
func (k *kernel) transferRefused(p *packet, why martini.Refusal, at dimmnet.Time) {
	t := k.transfers.at(p.ref)
	t.landed += int(p.size)
	if !t.refused {
		t.refused = true
		k.ack(p.dst, t.owner, t.done, refusedStatus|uint64(why), at, p.ref)
	}
}

// ownerKnows lets a refused transfer end.
func (k *kernel) ownerKnows(ref int32) {
	k.transfers.at(ref).known = true
	k.endIfDone(ref)
}

// endIfDone forgets a transfer when nothing of it is queued or in flight.
func (k *kernel) endIfDone(ref int32) {
	t := k.transfers.at(ref)
	if t.queued || t.landed < t.sent || t.refused && !t.known || t.sent < t.bytes && !t.refused {
		return
	}
	k.useBulk(t, -1)
	k.transfers.free(ref)
}

// Push posts a request to the NIC: 32 bytes and a kick, all uncached.
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

// Pull posts a request to the NIC, as Push does.
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

// post hands a transfer to the NIC, unless as many wait as there are windows.
func (th *thread) post(t transfer) bool {
	k := th.k
	th.sync()
	e := &th.node.engine
	if k.err != nil || len(e.queue) >= k.preset.Windows {
		e.waiting = true
		th.now += k.preset.Host.Read // of the status
		return false
	}
	th.fillWindow(0, Uncached)
	t.ready = th.now + k.sendTime + k.preset.NIC.PushStart
	k.request(t)
	return true
}

// Fill writes to the bank that faces the host, at the speed of the bus or the
// bank.
func (th *thread) Fill(off dimmnet.Offset, p []byte) {
	k := th.k
	k.preset.Limits.CheckFill(off, len(p))
	th.sync()
	th.now += k.bankTime(len(p))
	th.node.host.write(off-dimmnet.Offset(k.preset.Limits.LLCM), p)
}

// bankTime is what the host needs to copy n bytes to or from its bank.
func (k *kernel) bankTime(n int) dimmnet.Time {
	words := (n + dimmnet.WordBytes - 1) / dimmnet.WordBytes
	return dimmnet.Time(words) * max(k.preset.Host.Fill, dimmnet.WordBytes*k.preset.NIC.BankByte)
}

// Flip swaps the banks. While something is pushed into or out of one of them that
// would mix the data of both, so it fails the run.
func (th *thread) Flip() {
	k := th.k
	n := th.node
	th.now += k.preset.Host.Write
	th.sync()
	if u := n.engine.uses; u > 0 && k.err == nil {
		k.fail(fmt.Errorf("sim: at %v rank %d flips its banks while %d transfers use them", th.now, th.rank, u))
		return
	}
	n.host, n.network = n.network, n.host
	th.now += k.preset.NIC.Flip
}
