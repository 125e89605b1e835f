package inproc

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/memory"
)

// run is one call of Network.Run. A thread is the goroutine of a body, or one
// that Host.Go started.
type run struct {
	// What the fast paths read; written before the threads start, failed once
	// later, crowded at times.
	nodes    []node
	limits   dimmnet.Limits
	poll     time.Duration
	patience time.Duration
	start    time.Time
	procs    int
	failed   atomic.Bool // set after err, never cleared
	crowded  atomic.Bool // more threads want a processor than there are
	_        [cacheLine]byte

	mu      sync.Mutex // guards what follows and is the lock of every node's cond
	err     error      // the first failure, as ports say it; written once, before failed is set
	cause   error      // the same, as Run returns it
	threads []*port    // those that have not returned, in no order
	started int        // threads so far
	naps    []*nap     // of the threads that sleep, in no order
	waiting int        // threads in Event.Wait
	shared  [][]byte   // in the order of Share
	timer   *time.Timer
	broken  chan struct{} // closed by the first failure
	over    chan struct{} // closed when no thread is left
}

// cacheLine keeps words of different threads apart: two lines of 64 bytes,
// because the prefetcher fetches them in pairs.
const cacheLine = 128

// node is what peers write to, and what the threads of a node wait for.
type node struct {
	memory        memory.Words
	host, network memory.Words // the sides of the bulk memory
	notice        *event
	notices       atomic.Uint64
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
func (n *node) place(off dimmnet.Offset, side memory.Words) (memory.Words, dimmnet.Offset) {
	if llcmBytes := dimmnet.Offset(len(n.memory) * word); off >= llcmBytes {
		return side, off - llcmBytes
	}
	return n.memory, off
}

func newRun(cfg Config, nodes int) *run {
	r := &run{
		nodes:    make([]node, nodes),
		limits:   memory.Limits(cfg.LLCM, cfg.Bulk),
		poll:     cfg.Poll,
		patience: cfg.Patience,
		start:    time.Now(),
		procs:    runtime.GOMAXPROCS(0),
		broken:   make(chan struct{}),
		over:     make(chan struct{}),
	}
	for i := range r.nodes {
		n := &r.nodes[i]
		n.memory = make(memory.Words, cfg.LLCM/word)
		n.host = make(memory.Words, cfg.Bulk/word)
		n.network = n.host
		if cfg.Banks {
			n.network = make(memory.Words, cfg.Bulk/word)
		}
		n.cond.L = &r.mu
		n.notice = newEvent(r, dimmnet.Rank(i))
		r.enter(&port{run: r, own: n, rank: dimmnet.Rank(i)})
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
	if len(r.threads) > 0 {
		return fmt.Errorf("inproc: ranks %s have not returned %v after this: %w", r.ranks(), grace, r.err)
	}
	return r.cause
}

// enter counts p among the threads. The lock is held, or not needed yet.
func (r *run) enter(p *port) {
	p.at, p.number = len(r.threads), r.started
	r.threads = append(r.threads, p)
	r.started++
	p.nap = nap{cond: &p.own.cond, due: p.due, overdue: p.overdue}
	r.recount()
}

// leave notes that p is over, and fails the run if it has a cause.
func (r *run) leave(p *port, cause, shown error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cause != nil {
		r.failLocked(cause, shown)
	}
	last := len(r.threads) - 1
	r.threads[p.at] = r.threads[last]
	r.threads[p.at].at = p.at
	r.threads[last] = nil
	r.threads = r.threads[:last]
	p.at = returned
	r.recount()
	if last == 0 {
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
	for _, n := range r.naps {
		n.cond.Broadcast()
	}
}

// recount notes whether there are processors for all threads. One in Event.Wait
// needs none; one in Idle does, or may at any time. The lock is held.
func (r *run) recount() {
	if c := len(r.threads)-r.waiting > r.procs; c != r.crowded.Load() {
		r.crowded.Store(c)
	}
}

// ranks lists the threads that have not returned, the first few of them if they
// are many. The lock is held.
func (r *run) ranks() string {
	const most = 32
	threads := slices.SortedFunc(slices.Values(r.threads), func(a, b *port) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.number, b.number))
	})
	var list []string
	for _, p := range threads[:min(most, len(threads))] {
		list = append(list, dimmnet.ThreadLabel(p.rank, p.name))
	}
	if more := len(threads) - most; more > 0 {
		return fmt.Sprintf("%v and %d more", list, more)
	}
	return fmt.Sprint(list)
}
