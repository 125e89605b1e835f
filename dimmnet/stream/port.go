package stream

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// port is one thread: its handle on the node, and its host.
type port struct {
	node     *node
	name     string // as Go had it; none for a body
	returned bool   // under the lock of the node
	counters dimmnet.Counters
	looks    int    // polls since the connections were read
	refused  bool   // a post was, when
	rooms    uint64 // the node's rooms were so many
	gathered bool   // something may wait for a call that is no post
	held     held   // whether Idle has left it waiting
	idled    time.Time
	scratch  [word]byte
	_        [cacheLine]byte
}

var (
	_ dimmnet.Host  = (*port)(nil)
	_ dimmnet.Port  = (*port)(nil)
	_ dimmnet.Giver = (*port)(nil)
	_ dimmnet.Event = (*event)(nil)
)

func (p *port) Port() dimmnet.Port { return p }

func (p *port) Now() dimmnet.Time {
	return dimmnet.Time(time.Since(p.node.crew.start).Nanoseconds()) * dimmnet.Nanosecond
}

func (p *port) Spend(d dimmnet.Time) {
	if d < 0 {
		panic(fmt.Sprintf("%s: Spend of %v", p.node.crew.cfg.Network, d))
	}
}

func (p *port) Note(string, uint64) {}

func (p *port) Rank() dimmnet.Rank         { return p.node.rank }
func (p *port) Nodes() int                 { return len(p.node.peers) }
func (p *port) Limits() dimmnet.Limits     { return p.node.limits }
func (p *port) Counters() dimmnet.Counters { return p.counters }

func (p *port) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	n := p.node
	n.limits.CheckStore(len(n.peers), dst, off, size)
	posted := p.try(func() bool {
		if dst == n.rank {
			n.llcm.Store(off, v, size)
			n.arrive()
			return true
		}
		binary.LittleEndian.PutUint64(p.scratch[:], v)
		return n.peers[dst].out.post(store, uint8(size), off, p.scratch[:])
	})
	if posted {
		p.counters.Stores++
		p.counters.Bytes += uint64(size)
	}
	return posted
}

func (p *port) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	n := p.node
	n.limits.CheckWrite(len(n.peers), dst, off, len(b))
	posted := p.try(func() bool {
		if dst == n.rank {
			n.llcm.Write(off, b)
			n.arrive()
			return true
		}
		return n.peers[dst].out.post(block, 0, off, b)
	})
	if posted {
		p.counters.Writes++
		p.counters.Bytes += uint64(len(b))
	}
	return posted
}

// Multicast panics: streams have none.
func (p *port) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, _ uint64, size int) bool {
	p.node.limits.CheckMulticast(len(p.node.peers), dsts, off, size)
	return false
}

func (p *port) Push(dst dimmnet.Rank, from, to dimmnet.Offset, size int, done dimmnet.Offset) bool {
	n := p.node
	n.limits.CheckRDMA(len(n.peers), dst, from, to, size, done)
	posted := p.try(func() bool {
		if dst == n.rank {
			n.move(from, to, size, done)
			return true
		}
		return n.peers[dst].out.push(from, to, size, done)
	})
	if posted {
		p.counters.Pushes++
		p.counters.Bytes += uint64(size)
	}
	return posted
}

func (p *port) Pull(src dimmnet.Rank, from, to dimmnet.Offset, size int, done dimmnet.Offset) bool {
	n := p.node
	n.limits.CheckRDMA(len(n.peers), src, from, to, size, done)
	posted := p.try(func() bool {
		if src == n.rank {
			n.move(from, to, size, done)
			return true
		}
		return n.peers[src].out.pull(from, to, size, done)
	})
	if posted {
		p.counters.Pulls++
		p.counters.Bytes += uint64(size)
	}
	return posted
}

// Give sends b behind what was posted to dst before.
func (p *port) Give(dst dimmnet.Rank, b []byte) bool {
	posted := p.try(func() bool { return p.peer(dst, b).out.give(b) })
	if posted {
		p.counters.Pushes++
		p.counters.Bytes += uint64(len(b))
	}
	return posted
}

// Giving says whether what was given to dst must still rest.
func (p *port) Giving(dst dimmnet.Rank) bool { return p.node.peers[dst].out.giving.Load() > 0 }

// Take reads what has come already.
func (p *port) Take(src dimmnet.Rank, b []byte) {
	n, q := p.node, p.peer(src, b)
	n.engine.Lock()
	defer n.engine.Unlock()
	if !n.closed {
		q.in.take(b)
		n.receive(q)
	}
}

// Taking is how many Takes wait for their bytes.
func (p *port) Taking(src dimmnet.Rank) int { return int(p.node.peers[src].in.coming.Load()) }

// Abandon waits for a thread that reads.
func (p *port) Abandon() {
	n := p.node
	n.engine.Lock()
	defer n.engine.Unlock()
	for _, q := range n.peers {
		if q != nil {
			q.in.abandon()
			q.out.abandon()
		}
	}
}

// peer is another rank, to or from which the bytes of b go.
func (p *port) peer(r dimmnet.Rank, b []byte) *peer {
	if int(r) >= len(p.node.peers) || r == p.node.rank || len(b) == 0 {
		panic(fmt.Sprintf("%s: rank %d gives %d bytes to rank %d, or takes them from it, of %d", p.node.crew.cfg.Network, p.node.rank, len(b), r, len(p.node.peers)))
	}
	return p.node.peers[r]
}

// try is post, unless the run has failed, and notes what Idle waits for if it is
// refused.
func (p *port) try(post func() bool) (posted bool) {
	if p.node.broke.Load() {
		return false
	}
	rooms := p.node.rooms.Load()
	p.node.crew.order.Add(1)
	posted = post()
	if p.refused = !posted; p.refused {
		p.rooms = rooms
	}
	p.gathered = true
	p.node.remind()
	return posted
}

// remind makes sure that what is gathered is sent, even if the thread calls nothing any
// more.
func (n *node) remind() {
	if !n.reminded.Load() && n.reminded.CompareAndSwap(false, true) {
		n.reminder.Reset(longestGather)
	}
}

// held says what Idle did about what the thread has gathered.
type held uint8

const (
	sent    held = iota // all of it
	kept                // nothing, since something had come: more will be posted soon
	keptErr             // nor did the Err that Drive calls after that
)

// send sends what this thread has gathered.
func (p *port) send() {
	p.held = sent
	if p.gathered {
		p.gathered = false
		p.node.sendAll()
	}
}

// move is a Push or Pull within the node.
func (n *node) move(from, to dimmnet.Offset, size int, done dimmnet.Offset) {
	n.copy(to, from, size)
	n.llcm.Store(done, uint64(size), word)
	n.arrive()
}

// arrive notes that bytes have landed. They are in place already.
//
// No wake-up is lost: it bumps arrivals and then looks at sleepers; a thread counts
// itself among the sleepers and then looks at arrivals. Go's atomics are sequentially
// consistent, so at least one of them sees what the other wrote.
func (n *node) arrive() {
	n.arrivals.Add(1)
	n.wakeDue()
}

func (p *port) Fill(off dimmnet.Offset, b []byte) {
	p.node.limits.CheckFill(off, len(b))
	m, off := p.node.place(off)
	m.Write(off, b)
}

// Flip does nothing: the bulk memory has one side.
func (p *port) Flip() {}

// looksPerRead is how many polls of a thread that does not idle go by before the
// connections are read: a read takes as long as that many.
const looksPerRead = 64

// poll counts a poll, and reads the connections at times.
func (p *port) poll() {
	p.counters.Polls++
	if p.looks++; p.looks >= looksPerRead {
		p.looks = 0
		p.node.progress()
	}
}

func (p *port) Load(off dimmnet.Offset) uint64 {
	p.node.limits.CheckLoad(off)
	p.poll()
	return p.node.llcm.Load(off)
}

func (p *port) Read(b []byte, off dimmnet.Offset) {
	p.node.limits.CheckRead(off, len(b))
	if p.node.limits.IsPoll(off, len(b)) {
		p.poll()
	}
	m, off := p.node.place(off)
	m.Read(b, off)
}

func (p *port) Arrivals() dimmnet.Mark { return dimmnet.Mark(p.node.arrivals.Load()) }

// Err sends what was gathered: Drive asks when a thread is done. It leaves what Idle has left.
func (p *port) Err() error {
	if p.held == kept {
		p.held = keptErr
	} else {
		p.send()
	}
	if !p.node.broke.Load() {
		return nil
	}
	return p.node.err // written before failed was set, and never again
}
