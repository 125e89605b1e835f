package fagus

import (
	"context"
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
	"github.com/fagus-dsm/fagus/fagus/trace"
)

// Run runs program on every rank of cfg's network and returns when the programs of all
// ranks have returned.
//
// If the program of a rank returns an error or panics, or ctx is done, the run fails: the
// collective calls of all ranks return an error, and Run returns the first error. The Report then
// has only Clock and Roll; Roll says what each rank did when the run failed.
//
// If cfg.Net is nil, all ranks are goroutines of this process. If a launcher such as
// mpirun has started the process as one rank of several, Run logs a warning, because the
// program should probably call cluster.Run.
func Run(ctx context.Context, cfg Config, program func(*Node) error) (Report, error) {
	if cfg.Net == nil {
		warnLaunched(cfg.Log)
	}
	run := 1 // of this record
	if cfg.Record != nil {
		run = cfg.Record.Begin()
	}
	cfg, err := cfg.replayed(run)
	if err == nil {
		cfg, err = cfg.withDefaults()
	}
	if err != nil {
		return Report{}, err
	}
	if program == nil {
		return Report{}, errors.New("fagus: Run: the program is nil")
	}
	if err := agree(ctx, &cfg); err != nil {
		return Report{}, err
	}
	if cfg.History != nil {
		cfg.History.Begin(cfg.Nodes)
	}
	if cfg.Trace != nil {
		cfg.Trace.Begin(trace.About{Mode: cfg.Mode.String(), Clock: cfg.Net.Clock(), Nodes: cfg.Nodes})
		defer cfg.Trace.Seal()
	}
	about := rollcall.About{Nodes: cfg.Nodes, Mode: cfg.Mode.String(), Virtual: cfg.Net.Clock() == dimmnet.Virtual}
	declared := newDeclarations(about.Virtual, source.Program(ctx, program))
	others := newApart(cfg.Net, declared)
	if j, ok := joined(cfg.Net); ok {
		rank, _ := j.Job()
		only := int(rank)
		about.Only = &only
		if others != nil {
			about.Ask = others.ask
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	about.Stuck = func() {
		cancel(fmt.Errorf("fagus: %w: every rank waits for a change that only another could make, or has returned, as the roll-call says", dimmnet.ErrDeadlock))
	}
	board := rollcall.Open(cfg.RollCall, about)
	defer board.Close()
	defer context.AfterFunc(ctx, func() { board.End(context.Cause(ctx).Error()) })()
	defer cfg.answer(about, board, others)()
	if cfg.replay != nil {
		return cfg.runReplay(ctx, program, board, declared)
	}
	results := make([]result, cfg.Nodes)
	first, ranks := 0, cfg.Nodes // of this process
	if about.Only != nil {
		first, ranks = *about.Only, 1
	}
	if !about.Virtual {
		cfg.account = newAccount(ranks)
	}
	err = cfg.Net.Run(ctx, cfg.Nodes, cfg.body(ctx, program, board, declared, results))
	if err != nil {
		others.failed(ctx, err)
		if ctx.Err() != nil {
			board.End(context.Cause(ctx).Error())
		}
		// Ranks stays nil: a rank that has not returned yet may still write to the slice.
		return Report{Clock: cfg.Net.Clock(), Mode: cfg.Mode, Roll: board.Last()}, declared.explain(err)
	}
	results[first].Stats.Usage, results[first].Stats.MeasuredUsage = cfg.account.end()
	return report(ctx, &cfg, results)
}

// body returns the function that runs the program as a rank, and writes the rank's results.
func (cfg *Config) body(ctx context.Context, program func(*Node) error, board *rollcall.Board, declared *declarations, results []result) func(dimmnet.Host) error {
	return func(h dimmnet.Host) error {
		n, err := newNode(ctx, h, cfg, board, declared)
		if err != nil {
			return err
		}
		defer n.close()
		n.monitor.Label(ctx)
		err = n.run(program)
		if named := (*rankError)(nil); err != nil && !errors.As(err, &named) {
			err = n.errorf("%w", err)
		}
		n.monitor.Return(err, n.follows(ctx, err))
		if err != nil {
			declared.waited(err)
			return err
		}
		if err := n.end(); err != nil {
			return err
		}
		n.result(&results[n.rank])
		return nil
	}
}

// answer lets readers of cfg.Meter and ranks in other processes ask what the ranks of this process
// do, until the returned function is called.
func (cfg *Config) answer(about rollcall.About, board *rollcall.Board, others *apart) (end func()) {
	closed := others.open(board, cfg.Meter)
	if cfg.Meter == nil {
		return closed
	}
	ended := cfg.Meter.Begin(meter.Run{Nodes: cfg.Nodes, Mode: about.Mode, Virtual: about.Virtual, Board: board, Ask: others.states()})
	return func() {
		ended()
		closed()
	}
}

// report returns the Report of a run that has succeeded in this process.
func report(ctx context.Context, cfg *Config, results []result) (Report, error) {
	if err := gather(ctx, cfg.Net, results); err != nil {
		return Report{}, err
	}
	waits, late, err := gatherWaits(ctx, cfg.Net, results)
	if err != nil {
		return Report{}, err
	}
	if cfg.Check != CheckOff {
		if err := checkOrder(results); err != nil {
			return Report{Clock: cfg.Net.Clock(), Mode: cfg.Mode}, err
		}
	}
	if err := gatherHistory(ctx, cfg.Net, cfg.History); err != nil {
		return Report{}, err
	}
	if err := gatherTrace(ctx, cfg.Net, cfg.Trace); err != nil {
		return Report{}, err
	}
	report := Report{Clock: cfg.Net.Clock(), Mode: cfg.Mode, Unguarded: results[0].Unguarded, Waits: waits, Late: late}
	report.add(results, cfg.Check)
	report.Tips = findTips(&report, results)
	_, apart := joined(cfg.Net)
	report.Critical = criticalPath(report.Ranks, cfg.Mode, apart)
	return report, nil
}
