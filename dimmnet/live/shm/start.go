//go:build linux

package shm

import (
	"context"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// Supported returns nil if this system supports the network: on Linux.
func Supported() error { return nil }

// Run starts body on nodes nodes, or on this process's node of a joined network, each with an LLCM
// of zeros. It returns when all threads of this process have returned: nil or the first failure,
// even if another rank failed. After a failure it waits at most Config.Grace.
func (n *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	cfg, err := n.cfg.withDefaults(nodes)
	if err != nil {
		return err
	}
	if err := local.CheckRun(ctx, networkName, body); err != nil {
		return err
	}
	if err := n.CheckNodes(networkName, nodes); err != nil {
		return err
	}
	segments, err := n.segments(ctx, &cfg, nodes)
	defer func() {
		for _, s := range segments {
			if n.member == nil {
				s.unmapLocal()
			} else {
				s.unmap()
			}
		}
	}()
	if err != nil {
		return err
	}
	own := []dimmnet.Rank{} // the ranks of this process
	if n.member != nil {
		own = append(own, n.member.Rank())
	} else {
		for rank := range segments {
			own = append(own, dimmnet.Rank(rank))
		}
	}
	r, bodies := newRun(cfg, segments, own)
	if n.member != nil {
		r.joined, r.calmed = true, local.CalmMonitor()
		n.member.OnLoss(r.lost)
		defer n.member.OnLoss(nil)
		defer r.watch(n.member.Rank(), cfg.Stall)()
	}
	reported := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(reported)
		r.fail(local.Cancelled(ctx, networkName))
	})
	for _, p := range bodies {
		go dimmnet.RunBody(networkName, p, body, func(cause, shown error) { r.leave(p, cause, shown) })
	}
	err = r.Wait(cfg.Grace)
	if err == nil {
		err = r.failureAt(segments[own[0]]) // for a rank that has not asked since
	}
	if r.left() { // a thread that has not returned may still access the segments
		segments = nil
	}
	if stop() {
		return err
	}
	<-reported // it writes to the segments
	if err == nil {
		return local.Cancelled(ctx, networkName)
	}
	return err
}

// segments creates or maps the segments of all ranks. After an error it returns those mapped.
func (n *Network) segments(ctx context.Context, cfg *Config, nodes int) (all []*segment, err error) {
	if n.member == nil {
		for range nodes {
			s, err := newLocal(cfg)
			if err != nil {
				return all, err
			}
			all = append(all, s)
		}
		return all, nil
	}
	own, f, err := create(cfg)
	if err != nil {
		return nil, err
	}
	files, err := n.member.Swap(ctx, f)
	defer func() {
		for _, f := range append(files, f) {
			_ = f.Close() // the mapping remains
		}
	}()
	if err != nil {
		return []*segment{own}, err
	}
	for rank, f := range files {
		s := own
		if dimmnet.Rank(rank) != n.member.Rank() {
			if s, err = open(f, dimmnet.Rank(rank), cfg); err != nil {
				if dimmnet.Rank(rank) < n.member.Rank() { // otherwise all contains it
					all = append(all, own)
				}
				return all, err
			}
		}
		all = append(all, s)
	}
	return all, nil
}
