package stream

import (
	"context"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// OnDemand makes connections during a run, when a rank first has something for a peer. At the
// start each rank is connected to its neighbours in a tree (Neighbours). Failures travel over the
// tree, and each rank watches its neighbours. So all ranks learn that a rank is lost, whether or
// not they are connected to it.
type OnDemand interface {
	// Serve passes connections to links, in goroutines, until Close.
	Serve(links Admission)
	// Connect returns when links has a connection to the rank, or with an error. It is called at
	// most once for each rank.
	Connect(ctx context.Context, rank dimmnet.Rank) error
	// Close ends all attempts to connect, and returns when they have ended.
	Close()
}

// Admission is where a network passes the connections of a rank to its node.
type Admission interface {
	// Expect says that a connection to the rank follows, or the run fails. A network calls it
	// before the peer can know that it is connected.
	Expect(rank dimmnet.Rank)
	// Link takes over a connection to the rank, to a peer on this host if near is true.
	Link(rank dimmnet.Rank, s Stream, near bool)
}

// treeArity is the number of children of a rank in the tree of connections. Package phase sends
// lists over a tree with the same arity, so that lists need no other connections.
const treeArity = 8

func treeParent(r dimmnet.Rank) dimmnet.Rank { return (r - 1) / treeArity } // r is not 0

// Neighbours reports whether a and b are connected at the start of a run with OnDemand.
func Neighbours(a, b dimmnet.Rank) bool {
	return a != b && (a != 0 && treeParent(a) == b || b != 0 && treeParent(b) == a)
}

// absent is the Stream to a peer without a connection. The first Write begins to connect.
type absent struct {
	node *node
	peer *peer
}

func (a absent) Read([]byte) (int, error)     { return 0, nil }
func (a absent) Buffered() bool               { return false }
func (a absent) Flush() (clear bool, _ error) { return true, nil }
func (a absent) NotifyWritable(bool)          {}
func (a absent) HungUp() bool                 { return false }
func (a absent) CloseWrite()                  {}
func (a absent) Ignore()                      {}
func (a absent) Close(bool)                   {}

// Write accepts nothing: the outbox keeps its bytes until Link.
func (a absent) Write([]byte, bool) (int, error) {
	if !a.peer.expected.Swap(true) {
		go a.node.connect(a.peer)
	}
	return 0, nil
}

// reasonTime is how long a rank that cannot connect to a peer waits for the reason: the failure of
// the peer travels over the tree.
const reasonTime = time.Second

// connect connects to a peer, or fails the run.
func (n *node) connect(q *peer) {
	ctx, cancel := context.WithTimeout(context.Background(), n.shared.cfg.Joining)
	defer cancel()
	err := n.demand.Connect(ctx, q.rank)
	if err == nil {
		return
	}
	select {
	case <-n.fault.broken:
	case <-time.After(reasonTime):
		n.lost(q.rank, err)
	}
}

// Expect says that a connection to the rank follows. This rank does not end before.
func (n *node) Expect(rank dimmnet.Rank) { n.peers[rank].expected.Store(true) }

// Link gives a peer its stream, and sends the posts that wait for the peer.
func (n *node) Link(rank dimmnet.Rank, s Stream, near bool) {
	n.engine.Lock()
	defer n.engine.Unlock()
	q := n.peers[rank]
	if n.closed || q.linked.Load() {
		s.Close(true)
		return
	}
	q.expected.Store(true)
	q.stream, q.in.stream, q.in.buf = s, s, make([]byte, inboxBytes)
	q.out.link(s, near)
	q.linked.Store(true)
	n.linked.Add(1)
	if n.fault.broke.Load() {
		n.report(q)
	}
	n.serve(q)
	n.spaceFreed() // a rank that has ended waits for this connection (sendGoodbyes)
}

// link gives the outbox its stream. Frames that wait go out with the next flush.
func (o *outbox) link(s Stream, near bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stream, o.near = s, near
}

// mayLeave reports whether this rank, whose threads have returned, may send a goodbye to a peer.
// With OnDemand a rank must not end while another may still connect to it. So goodbyes go up the
// tree when all ranks below have sent theirs, and then down: the goodbye of the parent says that
// the threads of all ranks have returned.
func (n *node) mayLeave(q *peer) bool {
	if n.demand == nil || !Neighbours(n.rank, q.rank) {
		return true
	}
	up := n.rank != 0 && q.rank == treeParent(n.rank)
	for _, other := range n.peers {
		switch {
		case other == nil:
		case other.expected.Load() && !other.linked.Load():
			return false
		case Neighbours(n.rank, other.rank) && !other.goodbyeReceived.Load():
			if other.rank > n.rank || !up {
				return false
			}
		}
	}
	return true
}

// Connections returns the number of peers to which this rank is connected.
func (p *port) Connections() int { return int(p.node.linked.Load()) }

// Links returns what the connections of this rank have carried.
func (p *port) Links() (all []dimmnet.Link) {
	for _, q := range p.node.peers {
		if q == nil || !q.linked.Load() {
			continue
		}
		if s, ok := q.stream.(Counted); ok {
			link := s.Count()
			link.Peer = q.rank
			all = append(all, link)
		}
	}
	return all
}
