package fagus

import (
	"context"
	"errors"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/guard"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// Run runs program on every rank of cfg's network and returns when all have
// returned. If one fails, or panics, or ctx ends, the collective calls of all
// others return an error, and Run returns the first one, and a Report whose Roll alone
// means anything. Where cfg.Net is nil, all ranks are goroutines of this process; if a launcher
// has started that as one of several ranks, a warning is logged: call cluster.Run.
func Run(ctx context.Context, cfg Config, program func(*Node) error) (Report, error) {
	if cfg.Net == nil {
		warnLaunched(cfg.Log)
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Report{}, err
	}
	if program == nil {
		return Report{}, errors.New("fagus: no program to run")
	}
	if cfg.History != nil {
		cfg.History.Begin(cfg.Nodes)
	}
	about := rollcall.About{Nodes: cfg.Nodes, Mode: cfg.Mode.String(), Virtual: cfg.Net.Clock() == dimmnet.Virtual}
	if j, ok := joined(cfg.Net); ok {
		rank, _ := j.Job()
		only := int(rank)
		about.Only = &only
	}
	board := rollcall.Open(cfg.RollCall, about)
	defer board.Close()
	ranks := make([]Stats, cfg.Nodes)
	tallies := make([][]guard.Tally, cfg.Nodes)
	err = cfg.Net.Run(ctx, cfg.Nodes, func(h dimmnet.Host) error {
		n, err := newNode(h, cfg, board)
		if err != nil {
			return err
		}
		defer n.close()
		n.seat.Label(ctx)
		err = n.run(program)
		n.seat.Return(err != nil && (h.Port().Err() != nil || ctx.Err() != nil))
		if err != nil {
			if named := (*rankError)(nil); !errors.As(err, &named) {
				err = n.errorf("%w", err)
			}
			return err
		}
		if err := n.end(); err != nil {
			return err
		}
		ranks[n.rank] = n.Stats()
		tallies[n.rank] = n.check.tallies()
		return nil
	})
	if err != nil {
		roll := board.Roll()
		if ctx.Err() != nil {
			roll.Ended = context.Cause(ctx).Error()
		}
		return Report{Clock: cfg.Net.Clock(), Roll: roll}, err // a rank left behind may still write to ranks
	}
	if err := gather(ctx, cfg.Net, ranks, tallies); err != nil {
		return Report{}, err
	}
	return Report{Clock: cfg.Net.Clock(), Ranks: ranks, Advice: guard.Advise(tallies)}, nil
}
