package stream

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// node is a rank in one run: its memory, its connections, and the threads that wait for
// something to come.
type node struct {
	nic
	crew     *crew
	rank     dimmnet.Rank
	peers    []*peer // by rank; nil for the own
	poll     Poll
	patience time.Duration
	notice   *event
	beats    Beats       // nil: nobody looks whether others are alive
	reminder *time.Timer // sends what was gathered and forgotten
	broke    atomic.Bool // set after err, never cleared
	_        [cacheLine]byte

	arrivals atomic.Uint64 // bumped when bytes are in place
	rooms    atomic.Uint64 // bumped when a post that was refused may be tried again
	notices  atomic.Uint64
	sleepers atomic.Int32 // threads that may be asleep
	asleep   atomic.Bool  // the leader is in the poll
	reminded atomic.Bool  // the reminder will ring
	_        [cacheLine]byte

	engine sync.Mutex // of who reads the connections; before all other locks
	ready  [few]dimmnet.Rank
	closed bool

	mu      sync.Mutex // guards what follows; after all other locks
	err     error      // the first failure, as ports say it; written once, before failed is set
	threads []*port    // that have not returned, in the order of their start
	naps    []*nap
	leader  *nap
	calm    sync.Cond     // signalled when there is no leader
	broken  chan struct{} // closed by the first failure
	told    chan struct{} // and closed when frames that tell the others are on their way
	over    chan struct{} // closed when no thread is left
}

// peer is another rank.
type peer struct {
	rank   dimmnet.Rank
	in     inbox
	out    outbox
	stream Stream
	near   bool        // it is on this host
	over   bool        // the connection has ended; it belongs to the engine
	gone   atomic.Bool // it posts nothing more
	said   atomic.Bool // this rank has said so, too
}

const (
	cacheLine = 128
	few       = 4 // connections that are read one by one, without asking which are ready
)

// newNode is a rank that is connected to the others. It takes their links over.
func newNode(c *crew, rank dimmnet.Rank, l *Links) *node {
	n := &node{
		nic:      newNIC(c.cfg.Limits, c.cfg.Sums),
		crew:     c,
		rank:     rank,
		peers:    make([]*peer, len(l.Streams)),
		poll:     l.Poll,
		beats:    l.Beats,
		patience: c.cfg.Patience,
		broken:   make(chan struct{}),
		told:     make(chan struct{}),
		over:     make(chan struct{}),
	}
	n.calm.L = &n.mu
	n.notice = &event{node: n}
	for i, s := range l.Streams {
		if s != nil {
			n.peers[i] = n.newPeer(dimmnet.Rank(i), s, l.Near[i])
		}
	}
	n.reminder = time.AfterFunc(time.Hour, n.sendLate)
	n.reminder.Stop()
	return n
}

func (n *node) newPeer(rank dimmnet.Rank, s Stream, near bool) *peer {
	q := &peer{rank: rank, stream: s, near: near}
	q.out = outbox{stream: s, nic: &n.nic, room: n.makeRoom, given: n.arrive}
	q.in = inbox{stream: s, nic: &n.nic, out: &q.out, order: &n.crew.order, ears: ear{n, q}, buf: make([]byte, inboxBytes)}
	return q
}

// errorf is an error of the network.
func (n *node) errorf(format string, args ...any) error { return n.crew.cfg.errorf(format, args...) }

// ear is told what a peer says.
type ear struct {
	*node
	peer *peer
}

func (e ear) notified(times uint32) {
	e.notices.Add(uint64(times))
	e.notice.Set()
}

func (e ear) failed(because dimmnet.Rank, why string) {
	f := &Failed{Network: e.crew.cfg.Network, Rank: because, Why: strings.ToValidUTF8(why, "?")}
	e.fail(because, f, f)
}

func (e ear) farewell() { e.peer.gone.Store(true) }

// makeRoom tells threads whose post was refused that it may be tried again.
func (n *node) makeRoom() {
	n.rooms.Add(1)
	n.wakeDue()
}

// fail fails the run because of a rank, unless it has failed already, and tells all
// others.
func (n *node) fail(because dimmnet.Rank, cause, err error) {
	n.mu.Lock()
	if n.err != nil {
		n.mu.Unlock()
		return
	}
	n.err = err
	n.crew.failed(cause)
	n.broke.Store(true)
	close(n.broken)
	for _, s := range n.naps {
		s.cond.Signal()
	}
	if n.leader != nil {
		n.poll.Wake()
	}
	n.mu.Unlock()

	defer close(n.told)
	why := strings.TrimPrefix(err.Error(), fmt.Sprintf("%s: rank %d failed: ", n.crew.cfg.Network, because))
	words := binary.LittleEndian.AppendUint16(nil, uint16(because))
	words = append(words, why[:min(len(why), failureBytes)]...)
	for _, q := range n.peers {
		if q != nil {
			_ = q.out.control(failure, words) // a peer that takes nothing will see the end
			q.out.send()
		}
	}
}

// lost fails the run because the process of a rank is gone.
func (n *node) lost(rank dimmnet.Rank, why error) {
	err := n.errorf("rank %d is gone: %w", rank, why)
	n.fail(rank, err, err)
}

// enter counts p among the threads.
func (n *node) enter(p *port) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.threads = append(n.threads, p)
	n.crew.load.wanted.Add(1)
}

// leave notes that p is over, and fails the run if it has a cause.
func (n *node) leave(p *port, cause, shown error) {
	if cause != nil {
		n.fail(n.rank, cause, shown)
	}
	n.sendAll()
	n.crew.load.wanted.Add(-1)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.threads = slices.DeleteFunc(n.threads, func(q *port) bool { return q == p })
	p.returned = true
	if len(n.threads) == 0 {
		close(n.over)
	}
}
