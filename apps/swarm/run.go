package swarm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/host"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
)

const (
	// Grace is the virtual time that a run may take after the last fault. It is a thousand times
	// the time of a run in which only datagrams are lost.
	Grace = 1000 * fagus.Second
	// RealLimit is the real time that a run may take.
	RealLimit = time.Minute
)

// Failure describes a failed check.
type Failure struct {
	// Kind names the failed check: error, panic, crash, hang, content, or an axiom of the history.
	Kind string `json:"kind"`
	// Words describes what is wrong.
	Words string `json:"words"`
}

// The kinds of failures, besides the axioms.
const (
	failError   = "error"   // a run without a crash ended with an error
	failPanic   = "panic"   // a rank panicked
	failCrash   = "crash"   // the run, or a rank, did not report the planned crash
	failHang    = "hang"    // a run did not end in time
	failContent = "content" // contents at the end differ from the expected contents
)

// Error returns the kind and the description.
func (f *Failure) Error() string { return f.Kind + ": " + f.Words }

// Outcome is the result of a run.
type Outcome struct {
	Failure  *Failure // nil if all checks pass
	Phases   uint64   // phase mode: the largest number of phases of a rank
	Repeated uint64   // of these, phases that repeated one of before
	Requests uint64   // threaded mode: requests of all ranks
	History  history.Counts
	// Content is the number of bytes compared with their expected values.
	Content int
	Result  sim.Result
}

// Run runs the case and checks it. It returns an error if ctx ends, or if the case cannot be run.
func (c *Case) Run(ctx context.Context) (Outcome, error) {
	return c.runOn(ctx, func(net dimmnet.Network) dimmnet.Network { return net })
}

// runOn runs the case on a network that the function through makes from the case's network.
func (c *Case) runOn(ctx context.Context, through func(dimmnet.Network) dimmnet.Network) (Outcome, error) {
	net, err := c.connect()
	if err != nil {
		return Outcome{}, err
	}
	limited, cancel := context.WithTimeout(ctx, RealLimit)
	defer cancel()
	p := newProgram(c)
	cfg := fagus.Config{Nodes: c.Nodes, Net: through(net), Notices: c.Engine.Notices, Direct: c.Engine.Direct, History: history.New(), Transfer: fagus.Rings}
	if c.Engine.Threaded {
		cfg.Mode = fagus.Threaded
	} else if c.Engine.Push {
		cfg.Transfer = fagus.Push
	}
	if c.Engine.Tree {
		cfg.Lists = fagus.ListsTree
	}
	report, err := fagus.Run(limited, cfg, p.run)
	if ctx.Err() != nil {
		return Outcome{}, fmt.Errorf("swarm: seed %d: %w", c.Seed, ctx.Err())
	}
	if limited.Err() != nil { // a thread may still run and write to p
		return Outcome{Failure: &Failure{failHang, fmt.Sprintf("after %v of machine time: %v", RealLimit, err)}}, nil
	}
	o := Outcome{Result: net.Result(), History: cfg.History.Counts(), Content: p.checked}
	for _, r := range report.Ranks {
		o.Phases, o.Repeated = max(o.Phases, r.Phases), max(o.Repeated, r.Repeated)
		o.Requests += r.Requests
	}
	o.Failure = c.judge(err, p, cfg.History, &o)
	return o, nil
}

func (c *Case) connect() (*sim.Network, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	preset, err := presets.Load(presets.Default)
	if err != nil {
		return nil, err
	}
	preset.Host.CPUs = c.Engine.CPUs
	if c.LLCM > 0 {
		preset.Limits.LLCM, preset.UDP.Limits.LLCM = c.LLCM, c.LLCM
	}
	if c.Bulk > 0 {
		preset.Limits.Bulk = c.Bulk
	}
	cfg := sim.Config{Preset: &preset, MaxDelay: c.MaxDelay, UDP: c.UDP, Faults: c.Faults, Limit: c.limit()}
	if c.MaxDelay > 0 || c.UDP != nil {
		cfg.Seed = max(c.Seed, 1)
	}
	if c.MaxDelay == 0 { // use a tiny delay: 0 would select the default of 100 us
		cfg.MaxDelay = 1
	}
	return sim.New(cfg)
}

// limit returns the virtual time at which a run must have ended.
func (c *Case) limit() (t fagus.Time) {
	for i := range c.Faults {
		t = max(t, c.Faults[i].End())
	}
	for step := range c.steps() {
		for rank := range dimmnet.Rank(c.Nodes) {
			tenures, _ := c.at(step, rank)
			for _, tenure := range tenures {
				t += tenure.Compute
			}
		}
	}
	return t + Grace
}

// judge returns the failure of a run that ended with err, or nil.
func (c *Case) judge(err error, p *program, h *history.History, o *Outcome) *Failure {
	if v := h.Check(); v != nil {
		return &Failure{string(v.Axiom), v.Words}
	}
	if f := p.wrong; f != nil {
		return f
	}
	crash := c.crashed(&o.Result)
	switch {
	case errors.Is(err, dimmnet.ErrDeadlock) || errors.Is(err, host.ErrLimit):
		return &Failure{failHang, err.Error()}
	case err != nil && strings.Contains(err.Error(), " panicked: "):
		return &Failure{failPanic, err.Error()}
	case crash == nil && err != nil:
		return &Failure{failError, err.Error()}
	case crash == nil:
		return nil
	}
	for r, reported := range append(p.errs, err) {
		reporter := fmt.Sprintf("rank %d", r)
		if r == c.Nodes {
			reporter = "the run"
		} else if p.ended[r] && reported == nil {
			continue // a rank that has finished need not report the crash
		}
		if named := (*sim.CrashError)(nil); !errors.As(reported, &named) || named.Rank != crash.Rank || named.At != crash.At {
			return &Failure{failCrash, fmt.Sprintf("%v struck, but %s reports: %v", crash, reporter, reported)}
		}
	}
	return nil
}

// crashed returns the planned crash that happened during the run, or nil.
func (c *Case) crashed(r *sim.Result) *sim.Fault {
	for i := range c.Faults {
		if c.Faults[i].Kind == sim.Crash && i < len(r.Struck) && r.Struck[i] {
			return &c.Faults[i]
		}
	}
	return nil
}
