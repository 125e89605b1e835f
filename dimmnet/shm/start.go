//go:build linux

package shm

import (
	"context"
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Supported says whether this system has such networks: nil on Linux.
func Supported() error { return nil }

// Run starts body on nodes nodes, of a joined network on its own, each with an LLCM of
// zeros, and returns when all its threads have returned: nil, or the first failure,
// that of another rank included. After a failure it waits no longer than Config.Grace.
func (n *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	cfg, err := n.cfg.withDefaults(nodes)
	if err != nil {
		return err
	}
	if body == nil {
		return errors.New("shm: no body to run")
	}
	if n.member != nil && nodes != n.member.Size() {
		return fmt.Errorf("shm: %d nodes are asked for, and the job has %d ranks", nodes, n.member.Size())
	}
	if ctx.Err() != nil {
		return cancelled(ctx)
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
	r := newRun(cfg, segments)
	if n.member == nil {
		for rank := range segments {
			r.enter(r.newPort(dimmnet.Rank(rank), ""))
		}
	} else {
		r.enter(r.newPort(n.member.Rank(), ""))
		n.member.OnLoss(r.lost)
		defer n.member.OnLoss(nil)
		defer r.watch(n.member.Rank(), cfg.Stall)()
	}
	stop := context.AfterFunc(ctx, func() { r.fail(cancelled(ctx)) })
	r.startAll(body)
	err = r.wait(cfg.Grace)
	if r.left() { // a thread that was left behind may still touch them
		segments = nil
	}
	if !stop() && err == nil {
		return cancelled(ctx)
	}
	return err
}

// segments makes or maps those of all ranks. Beside an error it returns what it has
// mapped.
func (n *Network) segments(ctx context.Context, cfg *Config, nodes int) (all []*segment, err error) {
	if n.member == nil {
		for range nodes {
			s, err := local(cfg)
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
			_ = f.Close() // mapped is mapped
		}
	}()
	if err != nil {
		return []*segment{own}, err
	}
	for rank, f := range files {
		s := own
		if dimmnet.Rank(rank) != n.member.Rank() {
			if s, err = open(f, dimmnet.Rank(rank), cfg); err != nil {
				return append(all, own), err
			}
		}
		all = append(all, s)
	}
	return all, nil
}

// cancelled is the failure of a run whose context is done.
func cancelled(ctx context.Context) error {
	return fmt.Errorf("shm: %w", dimmnet.ContextErr(ctx))
}
