package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// node is a rank in one run: its memory, its connections, and its threads.
type node struct {
	nic
	shared   *run
	rank     dimmnet.Rank
	peers    []*peer // by rank; nil for the own rank
	poll     Poll
	patience time.Duration // Config.Patience
	notice   *event
	beats    Beats        // nil: silent peers go unnoticed
	demand   OnDemand     // nil: all peers are connected
	linked   atomic.Int32 // the number of peers that are connected
	watched  atomic.Int64 // the last turn of the watch, in ns since run.start; 0: none
	fault    fault
	_        [local.CacheLine]byte

	arrivals atomic.Uint64 // incremented when bytes are in place
	freed    atomic.Uint64 // incremented when a refused post may succeed
	notices  atomic.Uint64
	several  atomic.Bool // there are several threads
	late     lateFlush
	sleeping sleeping
	_        [local.CacheLine]byte

	engine sync.Mutex // held by the thread that reads the streams; taken before all other locks
	ready  [few]dimmnet.Rank
	closed bool
	came   bool // bytes have come since visit began

	mu      sync.Mutex    // guards the fields below; taken after all other locks
	threads []*port       // threads that have not returned, in the order of their start
	over    chan struct{} // closed when no thread is left
}

// lateFlush sends what a thread has gathered and not sent.
type lateFlush struct {
	timer *time.Timer
	set   atomic.Bool  // timer will fire
	quiet atomic.Int32 // how often timer has found nothing to send, up to a limit
	held  atomic.Bool  // a thread has let posts wait, or would have, since timer fired
}

// sleeping are the threads that sleep, or are about to. The lock of the node guards what is not
// atomic.
type sleeping struct {
	count   atomic.Int32 // threads that may be asleep
	inPoll  atomic.Bool  // the leader is in the poll
	pauses  atomic.Int32 // how often the leader has waited for a Receive; read by tests
	threads []*sleeper
	leader  *sleeper  // the sleeper that waits in the poll; nil if no thread does
	left    sync.Cond // signalled when there is no leader
}

// fault is the first failure of a run. The lock of the node guards it.
type fault struct {
	broke    atomic.Bool   // the run has failed; set after err, never cleared
	err      error         // as ports report it
	report   []byte        // to the peers
	isGone   uint8         // the argument of report: 1 if err is the loss of a rank
	broken   chan struct{} // closed by the failure
	reported chan struct{} // closed when the report is in the peers' outboxes
}

type peer struct {
	rank            dimmnet.Rank
	in              inbox
	out             outbox
	stream          Stream      // absent before linked
	linked          atomic.Bool // the peer is connected
	expected        atomic.Bool // this rank connects to the peer, or the peer to this rank
	near            bool        // the peer is on this host
	ended           bool        // the stream has ended; guarded by node.engine
	goodbyeReceived atomic.Bool // the peer posts nothing more
	goodbyeSent     atomic.Bool // this rank posts nothing more
	deaf            atomic.Bool // the peer has said that the beats of this rank do not arrive
	gone            atomic.Bool // another rank has reported that the peer has failed
	// paused is the length of this process's last pause, in ns; 0 if there was none, or if the
	// peer has given a sign of life since.
	paused atomic.Int64
}

// few is the largest number of peers whose streams are read one by one, without asking the poll.
const few = 4

// newNode returns the node of rank with the connections l, which it takes over.
func newNode(r *run, rank dimmnet.Rank, l *Links) *node {
	n := &node{
		nic:      newNIC(l.NIC, r.cfg.Limits, r.cfg.Sums),
		shared:   r,
		rank:     rank,
		peers:    make([]*peer, len(l.Streams)),
		poll:     l.Poll,
		beats:    l.Beats,
		demand:   l.Demand,
		patience: r.cfg.Patience,
		fault:    fault{broken: make(chan struct{}), reported: make(chan struct{})},
		over:     make(chan struct{}),
	}
	n.sleeping.left.L = &n.mu
	n.notice = &event{node: n}
	for i, s := range l.Streams {
		if r := dimmnet.Rank(i); s != nil || n.demand != nil && r != rank {
			n.peers[i] = n.newPeer(r, s, l.Near[i])
			if l.Remotes != nil {
				n.peers[i].out.remote = l.Remotes[i]
			}
		}
	}
	n.late.timer = time.AfterFunc(time.Hour, n.flushLate)
	n.late.timer.Stop()
	return n
}

func (n *node) newPeer(rank dimmnet.Rank, s Stream, near bool) *peer {
	q := &peer{rank: rank, stream: s, near: near}
	var buf []byte
	if s == nil {
		s = absent{n, q}
		q.stream = s
	} else {
		buf = make([]byte, inboxBytes)
		q.linked.Store(true)
		n.linked.Add(1)
	}
	first := n.shared.cfg.firstFrame
	q.out = outbox{stream: s, near: near, nic: &n.nic, number: first, onSpace: n.spaceFreed, onSent: n.arrive}
	q.in = inbox{stream: s, nic: &n.nic, out: &q.out, number: first, order: &n.shared.order, events: peerEvents{n, q}, buf: buf, extra: inboxBytes}
	return q
}

func (n *node) errorf(format string, args ...any) error { return n.shared.cfg.errorf(format, args...) }

// peerEvents handles the frames of a peer that do not access memory.
type peerEvents struct {
	*node
	peer *peer
}

func (e peerEvents) notified(times uint32) {
	e.notices.Add(uint64(times))
	e.notice.Set()
}

func (e peerEvents) failed(because dimmnet.Rank, why string, gone bool) {
	if because != e.peer.rank {
		e.gone(because)
	}
	f := &dimmnet.Failed{Network: e.shared.cfg.Network, Rank: because, Why: strings.ToValidUTF8(why, "?")}
	if gone {
		f.Why, f.Lost = "", errors.New(f.Why)
	}
	e.fail(because, f, f)
}

func (e peerEvents) saidAlive(hears bool) { e.peer.deaf.Store(!hears) }

func (e peerEvents) saidGoodbye() { e.peer.goodbyeReceived.Store(true) }

// spaceFreed wakes threads whose post was refused and may now succeed.
func (n *node) spaceFreed() {
	n.freed.Add(1)
	n.wakeDue()
}

// fail fails the run because of a rank, and reports this to all peers. The first failure counts.
func (n *node) fail(because dimmnet.Rank, cause, shown error) {
	n.mu.Lock()
	if n.fault.err != nil {
		n.mu.Unlock()
		return
	}
	n.fault.err = shown
	why, verb := dimmnet.Reason(shown), "failed"
	if dimmnet.IsGone(shown) {
		n.fault.isGone, verb = 1, "is gone"
	}
	why = strings.TrimPrefix(why, fmt.Sprintf("%s: rank %d %s: ", n.shared.cfg.Network, because, verb))
	n.fault.report = binary.LittleEndian.AppendUint16(nil, uint16(because))
	n.fault.report = append(n.fault.report, why[:min(len(why), failureBytes)]...)
	n.shared.failed(cause)
	n.fault.broke.Store(true)
	delay.Here()
	close(n.fault.broken)
	for _, s := range n.sleeping.threads {
		s.cond.Signal()
	}
	if n.sleeping.leader != nil {
		n.poll.Wake()
	}
	n.mu.Unlock()
	defer close(n.fault.reported)
	for _, q := range n.peers {
		if q != nil && q.linked.Load() {
			n.report(q)
		}
	}
}

// report reports the failure of the run to a peer.
func (n *node) report(q *peer) {
	n.mu.Lock()
	payload, arg := n.fault.report, n.fault.isGone
	n.mu.Unlock()
	_ = q.out.control(failure, arg, payload) // the stream ends for a peer that does not read
	q.out.flush()
}

// gone records that a rank has failed, so that the end of the run does not wait for it.
func (n *node) gone(rank dimmnet.Rank) {
	if int(rank) < len(n.peers) && rank != n.rank {
		n.peers[rank].gone.Store(true)
	}
}

// lost fails the run because the process of another rank has ended. engine is not held.
func (n *node) lost(rank dimmnet.Rank, why error) {
	n.gone(rank)
	if pause := n.pauseBefore(rank); pause > 0 {
		n.serveAll() // a peer may have reported why it has ended
		n.failPaused(pause, rank, why)
		return
	}
	n.failLost(rank, why)
}

// pauseBefore returns how long this process was stopped, if no sign of life has arrived from the
// given rank since: the other ranks may have ended because this one was silent.
func (n *node) pauseBefore(rank dimmnet.Rank) time.Duration {
	if int(rank) >= len(n.peers) || rank == n.rank {
		return 0
	}
	pause := time.Duration(n.peers[rank].paused.Load())
	if watched := time.Duration(n.watched.Load()); watched > 0 {
		if now := time.Since(n.shared.start) - watched; n.shared.cfg.isPause(now) {
			pause = max(pause, now)
		}
	}
	return pause.Round(time.Millisecond)
}

// failPaused fails the run because this process was stopped, and a peer has ended meanwhile.
func (n *node) failPaused(pause time.Duration, peer dimmnet.Rank, why error) {
	err := dimmnet.Gone(n.errorf("the process of rank %d was stopped for %v, and rank %d has ended meanwhile: %w", n.rank, pause, peer, why))
	n.fail(n.rank, err, err)
}

func (n *node) failLost(rank dimmnet.Rank, why error) {
	err := &dimmnet.Failed{Network: n.shared.cfg.Network, Rank: rank, Lost: why}
	n.fail(rank, err, err)
}

func (n *node) enter(p *port) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.threads = append(n.threads, p)
	n.several.Store(len(n.threads) > 1)
	n.shared.load.wanted.Add(1)
}

func (n *node) leave(p *port, cause, shown error) {
	if cause != nil {
		n.fail(n.rank, cause, shown)
	}
	n.flushAll()
	n.shared.load.wanted.Add(-1)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.threads = slices.DeleteFunc(n.threads, func(q *port) bool { return q == p })
	n.several.Store(len(n.threads) > 1)
	p.returned = true
	if len(n.threads) == 0 {
		close(n.over)
	}
}
