package inproc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Config says what a Network is like. The zero value is useful: each field has
// a default. Run rejects negative values.
type Config struct {
	// LLCM is the memory of each node in bytes, rounded up to a multiple of 8.
	// 0 means 128 KiB, or 32 KiB for each node of the run if that is more.
	LLCM int
	// Bulk is the bulk memory of each node in bytes, rounded up to a multiple of 8.
	// 0 means none: between goroutines it would only be one copy more.
	Bulk int
	// Banks gives the bulk memory two sides, as on DIMMnet-1, so that it is taken
	// twice. It is for testing protocols.
	Banks bool
	// Poll is how long a thread in Idle polls, without giving its processor away,
	// before it sleeps. 0 means a few microseconds. More is for measuring what polling
	// costs where a NIC wakes nobody; a deadlock is then found out so much later. Go
	// lets a thread keep its processor for 10 ms: with a GOMAXPROCS of at least the
	// threads of the run, the operating system shares the processors out instead.
	Poll time.Duration
	// Patience is how long a thread may sleep before the run fails, without an arrival
	// or its event: a bound for a peer that computes for ever, since those that all wait
	// are found out at once. 0 means 1 hour.
	Patience time.Duration
	// Grace is how long a run that has failed waits for its threads to return.
	// 0 means 5 seconds.
	Grace time.Duration
}

const (
	word            = dimmnet.WordBytes
	defaultLLCM     = 1 << 17 // DIMMnet-1 has as much
	llcmPerNode     = 1 << 15
	maxLLCM         = 1 << 32 // an Offset has 32 bits
	maxTotalLLCM    = 1 << 38
	defaultPatience = time.Hour
	defaultGrace    = 5 * time.Second
)

// withDefaults is c for a run of nodes nodes, or what is wrong with it.
func (c Config) withDefaults(nodes int) (Config, error) {
	if nodes < 1 || nodes > dimmnet.MaxNodes {
		return c, fmt.Errorf("inproc: %d nodes: a run has 1 to %d", nodes, dimmnet.MaxNodes)
	}
	if min(c.LLCM, c.Bulk) < 0 || max(int64(c.LLCM), int64(c.Bulk)) > maxLLCM || min(c.Poll, c.Patience, c.Grace) < 0 {
		return c, fmt.Errorf("inproc: config out of range: %+v", c)
	}
	if c.LLCM == 0 {
		c.LLCM = max(defaultLLCM, nodes*llcmPerNode)
	}
	c.LLCM = (c.LLCM + word - 1) / word * word
	if int64(c.LLCM) > maxTotalLLCM/int64(nodes) {
		return c, fmt.Errorf("inproc: %d nodes of %d bytes: more than %d in all, set Config.LLCM", nodes, c.LLCM, int64(maxTotalLLCM))
	}
	c.Bulk = (c.Bulk + word - 1) / word * word
	if int64(c.LLCM)+int64(c.Bulk) > maxLLCM || int64(c.Bulk) > maxTotalLLCM/int64(nodes) {
		return c, fmt.Errorf("inproc: %d nodes of %d bytes of bulk memory: set a smaller Config.Bulk", nodes, c.Bulk)
	}
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	if c.Grace == 0 {
		c.Grace = defaultGrace
	}
	return c, nil
}

// Network runs programs on goroutines of this process. It keeps nothing between
// runs, and several may run at once.
type Network struct {
	cfg Config
}

// New returns a network. A mistake in cfg is reported by Run.
func New(cfg Config) *Network { return &Network{cfg: cfg} }

// Clock says that time is real.
func (n *Network) Clock() dimmnet.Clock { return dimmnet.Wall }

// Run starts body on nodes nodes, each with an LLCM of zeros, and returns when
// all threads have returned: nil, or the first failure (the package comment lists them).
// After a failure it waits no longer than Config.Grace; its error then wraps the
// failure and names the threads that had not returned. A context that is done
// already starts nothing.
func (n *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	cfg, err := n.cfg.withDefaults(nodes)
	if err != nil {
		return err
	}
	if body == nil {
		return errors.New("inproc: no body to run")
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return errors.New("inproc: this machine is big-endian")
	}
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	r := newRun(cfg, nodes)
	defer r.watch().Stop()
	stop := context.AfterFunc(ctx, func() { r.fail(cancelled(ctx)) })
	for _, p := range slices.Clone(r.threads) { // which soon belongs to the lock
		go dimmnet.RunBody("inproc", p, body, func(cause, shown error) { r.leave(p, cause, shown) })
	}
	err = r.wait(cfg.Grace)
	if !stop() && err == nil {
		// The context ended during the run, though its function came too late.
		return cancelled(ctx)
	}
	return err
}

// cancelled is the failure of a run whose context is done.
func cancelled(ctx context.Context) error {
	return fmt.Errorf("inproc: %w", dimmnet.ContextErr(ctx))
}
