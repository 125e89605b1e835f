package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/cmd/fagus/corepair"
	"github.com/fagus-dsm/fagus/cmd/fagus/peers"
	"github.com/fagus-dsm/fagus/fagus"
)

// serveBench is one rank of those that fagus bench --peers starts: it measures what it is told.
func serveBench(c *cli.Context) error {
	cpus := c.IntSlice("cpus")
	p, err := place(c, false)
	if err != nil {
		return err
	}
	if p.job == nil || p.nodes != peers.Ranks || len(cpus) != peers.Ranks {
		return usagef("--serve is for the ranks that fagus bench --peers starts")
	}
	ctx, cancel := withLimit(c.Context, p.limit)
	defer cancel()
	_, err = fagus.Run(ctx, p.config(), func(n *fagus.Node) error {
		runtime.LockOSThread()
		if err := corepair.Pin(cpus[n.Rank()]); err != nil {
			return err
		}
		s := benchServer{n, map[bench.Config]*bench.Meter{}}
		return peers.Attend(c.String("serve"), n.Rank(), s.do)
	})
	if err != nil {
		return err
	}
	return p.leave(ctx)
}

// benchServer has the operations that were asked for so far.
type benchServer struct {
	n      *fagus.Node
	meters map[bench.Config]*bench.Meter
}

func (s benchServer) do(c peers.Command) (time.Duration, error) {
	cfg := bench.Config{Op: bench.Op(c.Op)}
	if cfg.Op == bench.Matmul || cfg.Op == bench.Product {
		cfg.N = c.Size
	} else {
		cfg.Bytes = c.Size
	}
	m := s.meters[cfg]
	if m == nil {
		var err error
		if m, err = bench.NewMeter(s.n, cfg); err != nil {
			return 0, err
		}
		s.meters[cfg] = m
	}
	took, err := m.Batch(c.Count)
	if err != nil {
		return 0, fmt.Errorf("%v: %w", c, err)
	}
	return time.Duration(took / fagus.Nanosecond), nil
}
