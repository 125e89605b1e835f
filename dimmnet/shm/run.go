//go:build linux

package shm

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/cpuset"
	"github.com/fagus-dsm/fagus/dimmnet/memory"
)

// run is one call of Network.Run.
type run struct {
	segments []*segment // by rank
	limits   dimmnet.Limits
	patience time.Duration
	start    time.Time
	procs    int
	failed   atomic.Bool // set after err, never cleared
	crowded  atomic.Bool // more threads of the job want a processor than there are
	_        [cacheLine]byte

	mu      sync.Mutex // guards what follows
	err     error      // the first failure, as ports say it; written once, before failed is set
	cause   error      // the same, as Run returns it
	threads []*port    // of this process that have not returned, in the order of their start
	away    int        // other processes' ranks
	waiting int        // threads of this process in Event.Wait
	events  []*event
	broken  chan struct{} // closed by the first failure
	over    chan struct{} // closed when no thread of this process is left
}

func newRun(cfg Config, segments []*segment) *run {
	return &run{
		segments: segments,
		limits:   memory.Limits(cfg.LLCM, cfg.Bulk),
		patience: cfg.Patience,
		start:    time.Now(),
		procs:    processors(segments),
		away:     len(segments),
		broken:   make(chan struct{}),
		over:     make(chan struct{}),
	}
}

// processors is how many the operating system lets the processes of all ranks use, each of
// which may be bound to some.
func processors(segments []*segment) int {
	var all cpuset.Set
	for _, s := range segments {
		all.Join(s.cpus[:])
	}
	return all.Count()
}

// startAll starts the bodies of the ranks that are in this process.
func (r *run) startAll(body func(dimmnet.Host) error) {
	r.mu.Lock()
	bodies := slices.Clone(r.threads)
	r.away -= len(bodies)
	r.recount()
	r.mu.Unlock()
	for _, p := range bodies {
		go dimmnet.RunBody("shm", p, body, func(cause, shown error) { r.leave(p, cause, shown) })
	}
}

// wait returns when all threads of this process have returned, or grace after a
// failure.
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
	if n := len(r.threads); n > 0 {
		p := r.threads[0]
		return fmt.Errorf("shm: %d threads, the first of them of rank %s, have not returned %v after this: %w", n, dimmnet.ThreadLabel(p.rank, p.name), grace, r.err)
	}
	return r.cause
}

// left says whether a thread of this process has not returned.
func (r *run) left() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.threads) > 0
}

// enter counts p among the threads.
func (r *run) enter(p *port) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.threads = append(r.threads, p)
	r.recount()
}

// leave notes that p is over, and fails the run if it has a cause.
func (r *run) leave(p *port, cause, shown error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cause != nil {
		r.failLocked(p.rank, cause, shown)
	}
	r.threads = slices.DeleteFunc(r.threads, func(q *port) bool { return q == p })
	p.returned = true
	r.recount()
	if len(r.threads) == 0 {
		close(r.over)
	}
}

// fail fails the run with err, for the ranks of this process.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rank := dimmnet.Rank(0)
	if len(r.threads) > 0 {
		rank = r.threads[0].rank
	}
	r.failLocked(rank, err, err)
}

// failLocked fails the run because of a rank of this process, and tells all others.
func (r *run) failLocked(rank dimmnet.Rank, cause, err error) {
	if r.err != nil {
		return
	}
	r.segments[rank].explain(cause.Error())
	r.breakLocked(cause, err)
	for _, s := range r.segments {
		s.fail(rank)
	}
}

// breakLocked ends the run in this process.
func (r *run) breakLocked(cause, err error) {
	r.cause, r.err = cause, err
	r.failed.Store(true)
	close(r.broken)
	for _, e := range r.events {
		e.bell.ring(false)
	}
}

// Failed is why a run has failed in which a rank of another process did.
type Failed struct {
	Rank dimmnet.Rank
	Why  string // as that rank said
}

// Error is both.
func (f *Failed) Error() string { return fmt.Sprintf("shm: rank %d failed: %s", f.Rank, f.Why) }

// adopt takes over the failure that another process has told a segment.
func (r *run) adopt(s *segment) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	rank := dimmnet.Rank(s.failed.Load() - 1)
	f := &Failed{Rank: rank, Why: "it has not said why"}
	if int(rank) < len(r.segments) {
		f.Why = r.segments[rank].explanation()
	}
	r.breakLocked(f, f)
}

// lost fails the run because the process of a rank is gone, which could not say why.
func (r *run) lost(rank dimmnet.Rank, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	err := fmt.Errorf("shm: rank %d is gone: %w", rank, why)
	r.segments[rank].explain(err.Error())
	r.breakLocked(err, err)
	for _, s := range r.segments {
		s.fail(rank)
	}
}

// recount notes whether there are processors for all threads that want one. What the
// helper threads of other processes do is not known here. The lock is held.
func (r *run) recount() {
	if c := r.away+len(r.threads)-r.waiting > r.procs; c != r.crowded.Load() {
		r.crowded.Store(c)
	}
}
