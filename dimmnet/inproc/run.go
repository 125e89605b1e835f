package inproc

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// run is one call of Network.Run. A thread is the goroutine of one body; each
// node has one.
type run struct {
	// What the fast paths read; written before the threads start, failed once
	// later.
	nodes    []node
	limits   dimmnet.Limits
	patience time.Duration
	start    time.Time
	spins    int
	yields   int
	failed   atomic.Bool // set after err, never cleared
	_        [cacheLine]byte

	mu      sync.Mutex // guards what follows and is the lock of every node's cond
	err     error      // the first failure, as ports say it; written once, before failed is set
	cause   error      // the same, as Run returns it
	threads []*port
	running int // threads that have not returned
	asleep  int // threads in sleep
	timer   *time.Timer
	broken  chan struct{} // closed by the first failure
	over    chan struct{} // closed when running is 0
}

// cacheLine keeps words of different threads apart: two lines of 64 bytes,
// because the prefetcher fetches them in pairs.
const cacheLine = 128

// node is what peers write to, and what the threads of a node wait for.
type node struct {
	memory        llcm
	host, network llcm // the sides of the bulk memory
	cond          sync.Cond
	_             [cacheLine]byte
	// arrivals counts what has landed; it is bumped when the bytes are in place.
	arrivals atomic.Uint64
	// sleepers is true while a thread may be asleep. It shares a line with
	// arrivals because a poster touches both.
	sleepers atomic.Bool
	_        [cacheLine]byte
}

// place is where off is: in the LLCM, or on a side of the bulk memory.
func (n *node) place(off dimmnet.Offset, side llcm) (llcm, dimmnet.Offset) {
	if llcmBytes := dimmnet.Offset(len(n.memory) * word); off >= llcmBytes {
		return side, off - llcmBytes
	}
	return n.memory, off
}

func newRun(cfg Config, nodes int) *run {
	r := &run{
		nodes:    make([]node, nodes),
		limits:   dimmnet.Limits{Store: word, Block: min(blockBytes, cfg.LLCM), RDMA: max(cfg.LLCM, cfg.Bulk), LLCM: cfg.LLCM, Bulk: cfg.Bulk},
		patience: cfg.Patience,
		start:    time.Now(),
		threads:  make([]*port, nodes),
		running:  nodes,
		broken:   make(chan struct{}),
		over:     make(chan struct{}),
	}
	r.spins, r.yields = waitLadder(nodes, runtime.GOMAXPROCS(0))
	for i := range r.nodes {
		n := &r.nodes[i]
		n.memory = make(llcm, cfg.LLCM/word)
		n.host = make(llcm, cfg.Bulk/word)
		n.network = n.host
		if cfg.Banks {
			n.network = make(llcm, cfg.Bulk/word)
		}
		n.cond.L = &r.mu
		r.threads[i] = &port{run: r, own: n, rank: dimmnet.Rank(i)}
	}
	return r
}

// wait returns when all threads have returned, or grace after a failure.
func (r *run) wait(grace time.Duration) error {
	select {
	case <-r.over:
	case <-r.broken:
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-r.over:
		case <-timer.C:
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running > 0 {
		late := r.ranks(func(p *port) bool { return !p.returned })
		return fmt.Errorf("inproc: ranks %s have not returned %v after this: %w", late, grace, r.err)
	}
	return r.cause
}

// leave notes that the body of p is over, and fails the run if it has a cause.
func (r *run) leave(p *port, cause, shown error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cause != nil {
		r.failLocked(cause, shown)
	}
	p.returned = true
	r.running--
	if r.running == 0 {
		close(r.over)
		return
	}
	r.checkDeadlock()
}

// fail fails the run with err unless it has failed already.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failLocked(err, err)
}

// failLocked fails the run for a cause that the ports are told of as err.
func (r *run) failLocked(cause, err error) {
	if r.err != nil {
		return
	}
	r.cause, r.err = cause, err
	r.failed.Store(true)
	close(r.broken)
	for i := range r.nodes {
		r.nodes[i].cond.Broadcast()
	}
}

// ranks lists the ranks of the threads that are of interest, the first few of
// them if they are many. The lock is held.
func (r *run) ranks(interest func(*port) bool) string {
	const most = 32
	var list []dimmnet.Rank
	more := 0
	for _, p := range r.threads {
		switch {
		case !interest(p):
		case len(list) < most:
			list = append(list, p.rank)
		default:
			more++
		}
	}
	if more > 0 {
		return fmt.Sprintf("%v and %d more", list, more)
	}
	return fmt.Sprint(list)
}
