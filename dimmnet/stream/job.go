package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Join connects a rank to all others. It returns links that work, or an error and has
// closed what it made.
type Join func(ctx context.Context, m dimmnet.Member) (*Links, error)

// Run is Network.Run for a network over streams: of the rank of m, or if that is nil of
// all nodes ranks, each of which join connects.
func Run(ctx context.Context, cfg Config, m dimmnet.Member, nodes int, join Join, body func(dimmnet.Host) error) error {
	if body == nil {
		return errors.New(cfg.Network + ": no body to run")
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return errors.New(cfg.Network + ": this machine is big-endian")
	}
	if m != nil && nodes != m.Size() {
		return cfg.errorf("%d nodes are asked for, and the job has %d ranks", nodes, m.Size())
	}
	c := &crew{cfg: cfg, load: newLoad(), start: time.Now()}
	if ctx.Err() != nil {
		return c.cancelled(ctx)
	}
	if m != nil {
		c.run(ctx, m, join, body)
		return c.result()
	}
	inner, stop := context.WithCancel(ctx) // for those that wait for one who cannot come
	defer stop()
	addresses, start := newMeeting(nodes), newMeeting(nodes)
	var all sync.WaitGroup
	for rank := range nodes {
		all.Go(func() {
			if !c.run(inner, guest{addresses, start, dimmnet.Rank(rank)}, join, body) {
				stop()
			}
		})
	}
	all.Wait()
	return c.result()
}

// cancelled is the failure of a run whose context is done.
func (c *crew) cancelled(ctx context.Context) error {
	return fmt.Errorf("%s: %w", c.cfg.Network, dimmnet.ContextErr(ctx))
}
