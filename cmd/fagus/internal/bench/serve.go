package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/corepair"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/peers"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/ports"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// serve runs a rank that fagus bench --peers starts. The rank measures as the driver requests.
func serve(c *cli.Context) error {
	cpus := c.IntSlice("cpus")
	cfg, err := runflags.FromFlags(cmdline.Line(c))
	if err != nil {
		return err
	}
	if (!cfg.Network.Processes || cfg.Launches()) && cfg.Network.Name != runflags.Inproc || cfg.Nodes < leastRanks || len(cpus) == 0 && !c.Bool(unbound) {
		return usage.Errorf("--serve is for the ranks that fagus bench --peers starts")
	}
	ctx, cancel := runflags.WithTimeout(c.Context, cfg.Timeout)
	defer cancel()
	on, err := cfg.Open(ctx)
	if err != nil {
		return err
	}
	if c.Bool("bare") {
		if err := serveBare(ctx, on, cpus, c.String("serve")); err != nil {
			return err
		}
		return on.Close(ctx)
	}
	_, err = on.Run(ctx, func(n *fagus.Node) error {
		if !c.Bool(unbound) {
			runtime.LockOSThread()
			if err := corepair.Pin(cpus[n.Rank()%len(cpus)]); err != nil {
				return err
			}
		}
		s := server{n, map[bench.Config]*bench.Meter{}}
		return peers.Attend(c.String("serve"), n.Rank(), s.do)
	})
	if err != nil {
		return err
	}
	return on.Close(ctx)
}

// server has a meter for every operation that the driver has requested.
type server struct {
	n      *fagus.Node
	meters map[bench.Config]*bench.Meter
}

func (s server) do(c peers.Command) (time.Duration, error) {
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

// onPorts runs body on both ranks of a target, without the engine. Each rank is a thread bound to a
// processor, if there are some.
func onPorts(ctx context.Context, on *runflags.Target, cpus []int, body func(rank int, pair *ports.Pair) error) error {
	return ports.Run(ctx, on.Net, func(pair *ports.Pair) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		rank := pair.Rank()
		if len(cpus) > 0 {
			if err := corepair.Pin(cpus[rank%len(cpus)]); err != nil {
				return err
			}
		}
		return body(rank, pair)
	})
}

// serveBare runs a rank of the system "Fagus, port".
func serveBare(ctx context.Context, on *runflags.Target, cpus []int, socket string) error {
	return onPorts(ctx, on, cpus, func(rank int, pair *ports.Pair) error {
		return peers.Attend(socket, rank, func(c peers.Command) (time.Duration, error) {
			if c.Op != pingPong {
				return 0, fmt.Errorf("%v: a port has %s only", c, pingPong)
			}
			return pair.PingPong(c.Count, c.Size)
		})
	})
}
