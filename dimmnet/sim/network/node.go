package network

import (
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// Node is one node's end of the network: the memory that peers write to, and its NIC. On a UDP
// network it is ordinary memory and a cable.
type Node struct {
	net      *Network
	rank     dimmnet.Rank
	memory   llcm                     // the LLCM
	arrivals dimmnet.Mark             // counts writes to memory and resources that became free
	expected expected                 // what can land, or become free
	cables   cables                   // to the Ethernet switch
	flights  map[dimmnet.Rank]*flight // by destination; used only with random delays
	draws    []uint64                 // datagrams' random numbers so far, by peer; nil if none

	nic // unused on a UDP network
}

// Arrivals returns the number of arrivals.
func (n *Node) Arrivals() dimmnet.Mark { return n.arrivals }

// Arrive counts an arrival that the network does not see.
func (n *Node) Arrive() { n.arrivals++ }

// Load returns a word of the LLCM.
func (n *Node) Load(off dimmnet.Offset) uint64 { return n.memory.load(off) }

// Read reads the LLCM.
func (n *Node) Read(p []byte, off dimmnet.Offset) { n.memory.read(p, off) }

// Transfers returns the number of transfers that use the bulk memory.
func (n *Node) Transfers() int { return n.engine.uses }

// Swap swaps the banks of the bulk memory, which no transfer may use.
func (n *Node) Swap() { n.Bank, n.network = n.network, n.Bank }

// Store is a word on its way into the NIC.
type Store struct {
	Written dimmnet.Time // when the CPU has written it
	Word    uint64
	Off     dimmnet.Offset
	To      dimmnet.Rank
	Group   []dimmnet.Rank // of a multicast; To is one of them
	Size    int32
	Hit     bool // its header is in the HTLB

	due       dimmnet.Time // when it can land at its sender at the earliest; valid if announced
	announced bool         // it goes to its sender, too, which expects it
}

// Announce says that s will be posted when all earlier events have happened.
func (n *Node) Announce(s *Store) {
	if s.To == n.rank || slices.Contains(s.Group, n.rank) {
		w := n.net
		s.due, s.announced = s.Written+w.sendTime+w.receiveTime-w.preset.NIC.Own, true
		n.expected.add(s.due)
	}
}

// Withdraw takes back Announce.
func (n *Node) Withdraw(s *Store) {
	if s.announced {
		n.expected.remove(s.due)
	}
}

// Post posts s for the Port.
func (n *Node) Post(s *Store) {
	p := packet{kind: kindStore, word: s.Word, dsts: s.Group, off: s.Off, size: s.Size, ref: -1, src: n.rank, dst: s.To}
	n.FIFO.Add(n.net.post(p, n.kicked(s.Written, s.Hit)))
}

// PostFor posts a word with a header for a user with credits of its own.
func (n *Node) PostFor(credits *Departures, h martini.Header, word uint64, size int, written dimmnet.Time, hit bool) {
	p := packet{kind: kindStore, header: h, word: word, size: int32(size), ref: -1, src: n.rank, dst: h.To}
	credits.Add(n.net.post(p, n.kicked(written, hit)))
}

// kicked returns when a store that is written up to the time at can be on the link. On an HTLB
// miss, the interrupt comes first.
func (n *Node) kicked(at dimmnet.Time, hit bool) dimmnet.Time {
	ready := at + n.net.sendTime
	if !hit {
		ready = n.interrupt(ready, n.net.preset.NIC.HTLBRefill)
	}
	return ready
}

// Below reports whether fewer than limit packets of d wait. If not, idle threads of the node poll
// again when one leaves.
func (n *Node) Below(d *Departures, limit int, now dimmnet.Time) bool {
	if d.Waiting(now) < limit {
		return true
	}
	n.WakeAt(d.first())
	return false
}

// WakeAt makes idle threads of the node poll again at t, when a resource becomes free.
func (n *Node) WakeAt(t dimmnet.Time) {
	if n.freeAt == 0 || t < n.freeAt {
		n.freeAt = t
		n.net.scheduleFree(n.rank, t)
	}
}

// Block sends a copy of b through a window, which has been filled at the time filled. ack is where
// the status word goes, or negative. The last byte has left the window at the time left.
func (n *Node) Block(h martini.Header, b []byte, ack int32, filled dimmnet.Time) (left dimmnet.Time) {
	w := n.net
	block := w.packets.blockOf(len(b))
	copy(block, b)
	p := packet{kind: kindBlock, header: h, block: block, size: int32(len(b)), ref: ack, src: n.rank, dst: h.To}
	return w.post(p, filled+w.sendTime)
}

// QueueFull reports whether every window already holds a request of RDMA.
func (n *Node) QueueFull() bool { return len(n.engine.queue) >= n.net.preset.Windows }

// AwaitQueue makes idle threads of the node poll again when QueueFull may have become false.
func (n *Node) AwaitQueue() { n.engine.waiting = true }

// Push requests that n bytes at from be sent to the address in h. The request has been written at
// the time written. The status word goes to done.
func (n *Node) Push(h martini.Header, from dimmnet.Offset, bytes int, done dimmnet.Offset, written dimmnet.Time) {
	n.request(transfer{owner: n.rank, src: n.rank, dst: h.To, header: h, from: from, bytes: bytes, done: done}, written)
}

// Pull requests bytes from the address in ask for the address in into, which is this node's.
func (n *Node) Pull(ask, into martini.Header, bytes int, done dimmnet.Offset, written dimmnet.Time) {
	n.request(transfer{owner: n.rank, src: ask.To, dst: n.rank, header: into, ask: ask, bytes: bytes, done: done, pull: true}, written)
}
