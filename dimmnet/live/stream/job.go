package stream

import (
	"context"
	"sync"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// Join connects a rank to all others. If it fails, it has closed everything that it opened.
type Join func(ctx context.Context, m dimmnet.Member) (*Links, error)

// Run implements Network.Run for a network over streams. It runs body on the rank of m or, if m is
// nil, on all nodes ranks. join connects each rank that runs here.
func Run(ctx context.Context, cfg Config, m dimmnet.Member, nodes int, join Join, body func(dimmnet.Host) error) error {
	if err := local.CheckRun(ctx, cfg.Network, body); err != nil {
		return err
	}
	if err := (local.Membership{Member: m}).CheckNodes(cfg.Network, nodes); err != nil {
		return err
	}
	r := &run{cfg: cfg, load: newLoad(), start: time.Now()}
	if m != nil {
		r.joined, r.calmed = true, local.CalmMonitor()
		local.ForegroundAll()
		r.runRank(ctx, m, join, body)
		return r.result()
	}
	inner, stop := context.WithCancel(ctx) // ends the wait for a rank that cannot join
	defer stop()
	addresses, start := newMeeting(nodes), newMeeting(nodes)
	var all sync.WaitGroup
	for rank := range nodes {
		all.Go(func() {
			if !r.runRank(inner, localMember{addresses, start, dimmnet.Rank(rank)}, join, body) {
				stop()
			}
		})
	}
	all.Wait()
	return r.result()
}

func (r *run) cancelled(ctx context.Context) error { return local.Cancelled(ctx, r.cfg.Network) }
