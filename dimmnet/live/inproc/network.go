package inproc

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
	"github.com/fagus-dsm/fagus/dimmnet/live/memory"
)

// Config describes a Network. Each field has a default. Run rejects negative values.
type Config struct {
	// LLCM is the size of each node's LLCM in bytes, rounded up to a multiple of 8. 0 means
	// 128 KiB, or 32 KiB times the number of nodes if that is more.
	LLCM int
	// Bulk is the size of each node's bulk memory in bytes, rounded up to a multiple of 8. 0
	// means none: between goroutines, bulk memory only adds a copy.
	Bulk int
	// Banks gives the bulk memory two sides, as on DIMMnet-1, for tests. It doubles the memory.
	Banks bool
	// Poll is how long a thread in Idle polls before it sleeps, without yielding its processor. 0
	// means a few microseconds. A longer Poll imitates a NIC that wakes no thread; it delays the
	// detection of a deadlock by as much. Go lets a goroutine keep its processor for 10 ms: with
	// GOMAXPROCS at or above the number of threads of the run, the operating system shares the
	// processors among the threads instead.
	Poll time.Duration
	// Patience is how long a thread may sleep without an arrival or its event before the run
	// fails. It bounds the wait for a thread that computes forever; a deadlock is detected at
	// once. 0 means 1 hour.
	Patience time.Duration
	// Grace is how long a failed run waits for its threads to return. 0 means 5 seconds.
	Grace time.Duration
}

const (
	networkName     = "inproc"
	word            = dimmnet.WordBytes
	maxMemory       = 1 << 32 // bytes per node; a dimmnet.Offset has 32 bits
	maxTotal        = 1 << 38 // bytes of all LLCMs of a run
	defaultPatience = time.Hour
	defaultGrace    = 5 * time.Second
)

func (c Config) withDefaults(nodes int) (_ Config, err error) {
	if min(c.LLCM, c.Bulk) < 0 || max(int64(c.LLCM), int64(c.Bulk)) > maxMemory || min(c.Poll, c.Patience, c.Grace) < 0 {
		return c, fmt.Errorf("inproc: config out of range: %+v", c)
	}
	if c.LLCM, c.Bulk, err = memory.Sizes(networkName, nodes, c.LLCM, c.Bulk); err != nil {
		return c, err
	}
	if int64(c.LLCM) > maxTotal/int64(nodes) {
		return c, fmt.Errorf("inproc: %d nodes with %d bytes of LLCM each: more than %d in all, set a smaller Config.LLCM", nodes, c.LLCM, int64(maxTotal))
	}
	if int64(c.Bulk) > maxTotal/int64(nodes) {
		return c, fmt.Errorf("inproc: %d nodes with %d bytes of bulk memory each: more than %d in all, set a smaller Config.Bulk", nodes, c.Bulk, int64(maxTotal))
	}
	c.Patience = cmp.Or(c.Patience, defaultPatience)
	c.Grace = cmp.Or(c.Grace, defaultGrace)
	return c, nil
}

// Network runs programs on goroutines of this process. Several runs may be active at a time.
type Network struct {
	cfg Config
}

// New returns a network. Run reports a mistake in cfg.
func New(cfg Config) *Network { return &Network{cfg: cfg} }

// Clock returns dimmnet.Wall.
func (n *Network) Clock() dimmnet.Clock { return dimmnet.Wall }

// Run starts body on nodes nodes, each with an LLCM of zeros, and returns when all threads have
// returned. It returns nil or the first failure (see the package comment). After a failure it
// waits at most Config.Grace; the error then wraps the failure and names the threads that have not
// returned. Run starts nothing if ctx is already done.
func (n *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	cfg, err := n.cfg.withDefaults(nodes)
	if err != nil {
		return err
	}
	if err := local.CheckRun(ctx, networkName, body); err != nil {
		return err
	}
	r, bodies := newRun(cfg, nodes)
	defer r.watchPatience().Stop()
	stop := context.AfterFunc(ctx, func() { r.fail(local.Cancelled(ctx, networkName)) })
	for _, p := range bodies {
		go dimmnet.RunBody(networkName, p, body, func(cause, shown error) { r.leave(p, cause, shown) })
	}
	err = r.Wait(cfg.Grace)
	if !stop() && err == nil {
		// ctx ended during the run, but Wait returned before the function of AfterFunc ran.
		return local.Cancelled(ctx, networkName)
	}
	return err
}
