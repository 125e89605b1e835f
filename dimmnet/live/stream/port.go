package stream

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

type port struct {
	local.Host
	node     *node
	returned bool   // guarded by the lock of the node
	polls    int    // number of polls since the streams were read
	refused  bool   // the last post was refused
	freed    uint64 // node.freed before the last post
	seen     uint64 // the mark of the present Idle
	idle     *sleeper
	gathered bool // the thread may have gathered posts
	pace     pace
	ladder   local.Ladder
	scratch  [word]byte
	_        [local.CacheLine]byte
}

var (
	_ dimmnet.Host     = (*port)(nil)
	_ dimmnet.Port     = (*port)(nil)
	_ dimmnet.ZeroCopy = (*port)(nil)
	_ dimmnet.Event    = (*event)(nil)
)

func (n *node) newPort(name string) *port {
	r := n.shared
	p := &port{Host: local.NewHost(r.cfg.Network, name, r.start, n.rank, len(n.peers), n.limits), node: n, ladder: newLadder(r.cfg.Helped)}
	p.idle = n.newSleeper(p.due, func(slept time.Duration) error {
		return n.errorf("rank %s has waited %v and nothing arrived", p.Label(), slept)
	})
	return p
}

func (p *port) Port() dimmnet.Port { return p }

func (p *port) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	n := p.node
	n.limits.CheckStore(len(n.peers), dst, off, size)
	posted := p.try(func() bool {
		if dst == n.rank {
			n.LLCM.Store(off, v, size)
			n.arrive()
			return true
		}
		binary.LittleEndian.PutUint64(p.scratch[:], v)
		return n.peers[dst].out.post(store, uint8(size), off, p.scratch[:])
	})
	return p.count(posted, &p.Counts.Stores, size)
}

func (p *port) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	n := p.node
	n.limits.CheckWrite(len(n.peers), dst, off, len(b))
	posted := p.try(func() bool {
		if dst == n.rank {
			n.LLCM.Write(off, b)
			n.arrive()
			return true
		}
		return n.peers[dst].out.post(block, 0, off, b)
	})
	return p.count(posted, &p.Counts.Writes, len(b))
}

func (p *port) Push(dst dimmnet.Rank, from, to dimmnet.Offset, size int, done dimmnet.Offset) bool {
	posted := p.rdma((*outbox).push, dst, from, to, size, done)
	return p.count(posted, &p.Counts.Pushes, size)
}

func (p *port) Pull(src dimmnet.Rank, from, to dimmnet.Offset, size int, done dimmnet.Offset) bool {
	posted := p.rdma((*outbox).pull, src, from, to, size, done)
	return p.count(posted, &p.Counts.Pulls, size)
}

func (p *port) rdma(post func(o *outbox, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool, peer dimmnet.Rank, from, to dimmnet.Offset, size int, done dimmnet.Offset) bool {
	n := p.node
	n.limits.CheckRDMA(len(n.peers), peer, from, to, size, done)
	return p.try(func() bool {
		if peer != n.rank {
			return post(&n.peers[peer].out, from, to, size, done)
		}
		memory.CopyNIC(&n.NIC, to, &n.NIC, from, size)
		n.LLCM.Store(done, uint64(size), word)
		n.arrive()
		return true
	})
}

func (p *port) count(posted bool, posts *uint64, size int) bool {
	if posted {
		*posts++
		p.Counts.Bytes += uint64(size)
	}
	return posted
}

// Send sends b after all earlier posts to dst.
func (p *port) Send(dst dimmnet.Rank, b []byte) bool {
	posted := p.try(func() bool { return p.peer(dst, b).out.sendZeroCopy(b) })
	p.pace.data = true
	return p.count(posted, &p.Counts.Pushes, len(b))
}

// Sending reports whether bytes that were sent to dst must remain unchanged.
func (p *port) Sending(dst dimmnet.Rank) bool { return p.node.peers[dst].out.sending.Load() > 0 }

// Receive receives the next len(b) bytes from src. It reads bytes that have already arrived.
func (p *port) Receive(src dimmnet.Rank, b []byte) {
	n, q := p.node, p.peer(src, b)
	n.engine.Lock()
	defer n.engine.Unlock()
	if !n.closed {
		q.in.addReceive(b)
		n.receive(q)
	}
}

func (p *port) Receiving(src dimmnet.Rank) int { return int(p.node.peers[src].in.receiving.Load()) }

// Abandon cancels all Sends and Receives.
func (p *port) Abandon() {
	n := p.node
	n.engine.Lock()
	defer n.engine.Unlock()
	for _, q := range n.peers {
		if q != nil {
			q.in.abandon()
			q.out.abandon()
			n.receive(q) // frames behind a zero-copy piece may have been read from the stream
		}
	}
}

// peer returns the peer r. It panics unless r is another rank and b has at least one byte.
func (p *port) peer(r dimmnet.Rank, b []byte) *peer {
	if int(r) >= len(p.node.peers) || r == p.node.rank || len(b) == 0 {
		panic(fmt.Sprintf("%s: rank %d of %d sends or receives %d bytes by zero-copy, peer rank %d: want another rank and at least 1 byte", p.node.shared.cfg.Network, p.node.rank, len(p.node.peers), len(b), r))
	}
	return p.node.peers[r]
}

// try calls post unless the run has failed. After a refusal, Idle waits for freed to change.
func (p *port) try(post func() bool) (posted bool) {
	if p.node.fault.broke.Load() {
		return false
	}
	freed := p.node.freed.Load()
	p.node.shared.order.Add(1)
	posted = post()
	if p.refused = !posted; p.refused {
		p.freed = freed
	}
	p.gathered = true
	delay.Here()
	p.node.setFlushTimer()
	return posted
}

func (p *port) flush() {
	p.pace.sent()
	p.gathered = false
	p.node.flushAll()
}

// arrive counts an arrival whose bytes are in place, and wakes sleepers.
//
// No wake-up is lost: arrive increments arrivals and then reads sleeperCount; a thread increments
// sleeperCount and then reads arrivals. Go's atomics are sequentially consistent, so at least one
// of them sees the other's write.
func (n *node) arrive() {
	n.arrivals.Add(1)
	n.wakeDue()
}

func (p *port) Fill(off dimmnet.Offset, b []byte) {
	p.node.limits.CheckFill(off, len(b))
	m, off := p.node.AtHost(off)
	m.Write(off, b)
}

// pollsPerRead is the number of polls of a thread that does not idle between two reads of the
// streams. A read takes as long as that many polls.
const pollsPerRead = 64

// poll counts a poll, and reads the streams from time to time.
func (p *port) poll() {
	p.Counts.Polls++
	if p.polls++; p.polls >= pollsPerRead {
		p.polls = 0
		p.node.progress()
	}
}

func (p *port) Load(off dimmnet.Offset) uint64 {
	p.node.limits.CheckLoad(off)
	p.poll()
	return p.node.LLCM.Load(off)
}

func (p *port) Read(b []byte, off dimmnet.Offset) {
	p.node.limits.CheckRead(off, len(b))
	if p.node.limits.IsPoll(off, len(b)) {
		p.poll()
	}
	m, off := p.node.AtHost(off)
	m.Read(b, off)
}

func (p *port) Arrivals() dimmnet.Mark { return dimmnet.Mark(p.node.arrivals.Load()) }

// Err sends the gathered posts, unless they may wait. Drive calls Err after Idle, and at its end.
func (p *port) Err() error {
	switch {
	case !p.gathered:
	case p.pace.byIdle:
		p.pace.byIdle = false
	case !p.pace.data || !p.pace.endCall(p.node.shared.clock()) || !p.node.mayHold():
		p.flush()
	}
	if !p.node.fault.broke.Load() {
		return nil
	}
	return p.node.fault.err // written before broke was set, and never again
}
