package stream

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/cpuset"
)

type run struct {
	cfg    Config
	load   *load
	start  time.Time // zero of the clock of all threads
	joined bool      // this process is one rank
	calmed bool      // the result of local.CalmMonitor
	// order is incremented before each post, and loaded after each read from a connection. Go's
	// memory model does not cover connections; order establishes the order of the accesses.
	order atomic.Uint64

	mu    sync.Mutex
	first error  // the first failure, as Run returns it
	left  string // the threads that have not returned; "" if there are none
}

// clock returns the time since the start of the run.
func (r *run) clock() time.Duration { return time.Since(r.start) }

func (r *run) failed(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == nil {
		r.first = cause
	}
}

func (r *run) leftBehind(threads string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = threads
}

func (r *run) result() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left != "" {
		return r.cfg.errorf("%s not returned %v after the failure: %w", r.left, r.cfg.Grace, r.first)
	}
	return r.first
}

func (r *run) runRank(ctx context.Context, m dimmnet.Member, join Join, body func(dimmnet.Host) error) (joined bool) {
	n, err := r.join(ctx, m, join)
	if err != nil {
		if ctx.Err() != nil {
			err = r.cancelled(ctx)
		}
		r.failed(err)
		return false
	}
	n.run(ctx, m, body)
	return true
}

func (r *run) join(ctx context.Context, m dimmnet.Member, join Join) (*node, error) {
	l, err := join(ctx, m)
	if err != nil {
		return nil, err
	}
	n := newNode(r, m.Rank(), l)
	if m, local := m.(localMember); local {
		// A body may cancel the context of all ranks, so no body starts before all have joined.
		if _, err := m.start.gather(ctx, n.rank, nil); err != nil {
			n.close()
			return nil, err
		}
	} else if l.Processors > 0 {
		r.load.procs = l.Processors
	}
	return n, nil
}

// load compares the processors of this host with the job's threads on it, as far as known here.
type load struct {
	procs  int          // processors of all ranks on this host; set before any rank runs
	wanted atomic.Int64 // number of threads that compute or wait in Idle
}

func newLoad() *load {
	own := cpuset.Own()
	return &load{procs: own.Count()}
}

func (l *load) crowded() bool { return l.wanted.Load() > int64(l.procs) }
