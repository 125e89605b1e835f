package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/event"
	"github.com/fagus-dsm/fagus/dimmnet/sim/host"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
)

const (
	// grace is how long Run waits for a computing thread after its context has ended.
	// Commands end within two seconds of a signal.
	grace = 800 * time.Millisecond
	// boundNodes is the number of nodes that are made between checks of the context.
	boundNodes = 4096
)

// Result describes a run that has ended.
type Result struct {
	TraceHash uint64       // over every delivery and every change of state
	Events    uint64       // number of events that have happened
	End       dimmnet.Time // time of the last event, or of the last access to a node's NIC
	network.Totals
	Struck []bool // by index in Config.Faults: the fault affected the run
}

// run is one run of a network: its parts, joined.
type run struct {
	line  event.Timeline
	trace *event.Trace
	net   *network.Network
	nodes []driver // by rank
	hosts *host.Kernel
}

// Run starts body on nodes nodes; see [dimmnet.Network]. All threads run on one goroutine.
func (w *Network) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	if nodes < 1 || nodes > dimmnet.MaxNodes {
		return fmt.Errorf("sim: Run on %d nodes: want 1 to %d", nodes, dimmnet.MaxNodes)
	}
	if body == nil {
		return errors.New("sim: Run without a body")
	}
	for i := range w.cfg.Faults {
		if err := checkRanks(&w.cfg.Faults[i], nodes); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return endedEarly(ctx)
	}
	budget, err := host.NewBudget(w.cfg.Memory, nodes)
	if err != nil {
		return err
	}
	r := w.newRun(ctx, nodes, budget, body)
	if ctx.Err() != nil { // it may take long to make many nodes
		r.hosts.Stop()
		return endedEarly(ctx)
	}
	over := make(chan struct{})
	go func() {
		defer close(over) // also when the Goexit of a thread ends this goroutine
		defer r.hosts.Stop()
		r.hosts.Run()
	}()
	select {
	case <-over:
	case <-ctx.Done():
		select {
		case <-over:
		case <-time.After(grace):
			return fmt.Errorf("sim: %w; rank %d did not return in time and is left running", dimmnet.ContextErr(ctx), r.hosts.Running())
		}
	}
	w.result = Result{
		TraceHash: r.trace.Hash(), Events: r.line.Events(), End: r.line.End(), Struck: r.trace.Struck(), Totals: r.net.Totals(),
	}
	return r.hosts.Cause()
}

func endedEarly(ctx context.Context) error {
	return fmt.Errorf("sim: Run: the context has ended before the start: %w", dimmnet.ContextErr(ctx))
}

// newRun joins the parts of a run, which is ready to begin.
func (w *Network) newRun(ctx context.Context, nodes int, budget *host.Budget, body func(dimmnet.Host) error) *run {
	r := &run{
		trace: event.NewTrace(nodes, len(w.cfg.Faults), w.cfg.Trace),
		nodes: make([]driver, nodes),
	}
	delays := event.Delays{Seed: w.cfg.Seed, Most: w.cfg.MaxDelay}
	udp := w.cfg.UDP != nil
	crash := slices.ContainsFunc(w.cfg.Faults, func(f Fault) bool { return f.Kind == Crash })
	r.net = network.New(network.Config{
		Preset: &w.preset, Nodes: nodes, Delays: delays, ExternalLoop: w.cfg.ExternalLoop, UDP: w.cfg.UDP,
		LookAhead: !w.cfg.Spin && !udp && !crash, // threads learn of a crash at once
		Faults:    w.cfg.Faults, Passed: w.cfg.Passed,
	}, &r.line, r.trace)
	r.hosts = host.New(ctx, host.Config{
		Preset: &w.preset, Nodes: nodes, Delays: delays, Limit: w.cfg.Limit, Spin: w.cfg.Spin, UDP: udp, Faults: w.cfg.Faults, Budget: budget,
		Port: func(th *host.Thread) dimmnet.Port {
			p := port{th, &r.nodes[th.Rank()], &w.preset, r}
			if udp {
				return &udpPort{p}
			}
			return &p
		},
	}, r.net, &r.line, r.trace)
	for i := range nodes {
		if i%boundNodes == 0 && ctx.Err() != nil {
			break
		}
		n := &r.nodes[i]
		if n.Node = r.net.Open(dimmnet.Rank(i)); !udp {
			n.openPort(&w.preset.Limits)
		}
		r.hosts.Start(n.Node, dimmnet.Rank(i), body)
	}
	return r
}
