package stream

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/cpuset"
)

// Failed is why a run has failed in which another rank did.
type Failed struct {
	Network string // as Config names it
	Rank    dimmnet.Rank
	Why     string // as that rank said
}

// Error is both.
func (f *Failed) Error() string {
	return fmt.Sprintf("%s: rank %d failed: %s", f.Network, f.Rank, f.Why)
}

// crew is what the ranks of this process in one call of Run share.
type crew struct {
	cfg   Config
	load  *load
	start time.Time // of the clock of all
	// order is bumped before each post, and read after each read from a connection: Go's
	// memory model, which knows nothing of connections, then knows what comes after what.
	order atomic.Uint64

	mu    sync.Mutex
	first error  // the first failure, as Run returns it
	left  string // threads that have not returned; none if empty
}

// failed notes the failure of a rank, unless another came first.
func (c *crew) failed(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == nil {
		c.first = cause
	}
}

// leftBehind notes threads that have not returned.
func (c *crew) leftBehind(who string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = who
}

// result is what Run returns.
func (c *crew) result() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left != "" {
		return c.cfg.errorf("%s not returned %v after this: %w", c.left, c.cfg.Grace, c.first)
	}
	return c.first
}

// load knows whether there are processors for all threads of the job on this host. What
// the helper threads of other processes do is not known here.
type load struct {
	procs  int          // of all ranks that are here; known before any of them runs
	wanted atomic.Int64 // by threads that compute or wait in Idle
}

func newLoad() *load {
	own := cpuset.Own()
	return &load{procs: own.Count()}
}

func (l *load) crowded() bool { return l.wanted.Load() > int64(l.procs) }
