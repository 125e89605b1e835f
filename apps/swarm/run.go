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
	"github.com/fagus-dsm/fagus/fagus"
)

const (
	// Grace is the virtual time that a run may take after the last fault: a thousand
	// times what one takes where nothing goes wrong but that datagrams are lost.
	Grace = 1000 * fagus.Second
	// RealLimit is the machine time that a run may take.
	RealLimit = time.Minute
)

// Failure is what a check has found.
type Failure struct {
	// Kind names the check: error, panic, crash, hang, content, or an axiom of the
	// history.
	Kind string `json:"kind"`
	// Words say what is wrong.
	Words string `json:"words"`
}

// The kinds of failures beside the axioms.
const (
	failError   = "error"   // a run without a crash ended with one
	failPanic   = "panic"   // it panicked
	failCrash   = "crash"   // a planned crash is not what the run, or a rank, says
	failHang    = "hang"    // a run did not come to its end
	failContent = "content" // a rank saw something else in the end than was written
)

// Error is both.
func (f *Failure) Error() string { return f.Kind + ": " + f.Words }

// Outcome is what a run came to.
type Outcome struct {
	Failure  *Failure // nil if all is as it should be
	Phases   uint64   // of the phase engine: those of the rank with the most
	Requests uint64   // of the threaded one, of all ranks
	History  history.Counts
	// Content is how many bytes were held against the oracle.
	Content int
	Result  sim.Result
}

// Run runs the case, and checks it. It returns an error if ctx ends, or nothing can
// run the case.
func (c *Case) Run(ctx context.Context) (Outcome, error) {
	return c.runOn(ctx, func(net dimmnet.Network) dimmnet.Network { return net })
}

// runOn is Run on what through makes of the network of the case. It is for tests.
func (c *Case) runOn(ctx context.Context, through func(dimmnet.Network) dimmnet.Network) (Outcome, error) {
	net, err := c.connect()
	if err != nil {
		return Outcome{}, err
	}
	limited, cancel := context.WithTimeout(ctx, RealLimit)
	defer cancel()
	p := newProgram(c)
	cfg := fagus.Config{Nodes: c.Nodes, Net: through(net), Notices: c.Engine.Notices, History: history.New(), Transfer: fagus.Rings}
	if c.Engine.Threaded {
		cfg.Mode = fagus.Threaded
	} else if c.Engine.Push {
		cfg.Transfer = fagus.Push
	}
	report, err := fagus.Run(limited, cfg, p.run)
	if ctx.Err() != nil {
		return Outcome{}, fmt.Errorf("swarm: seed %d: %w", c.Seed, ctx.Err())
	}
	if limited.Err() != nil { // a thread that was left behind may still write
		return Outcome{Failure: &Failure{failHang, fmt.Sprintf("after %v of machine time: %v", RealLimit, err)}}, nil
	}
	o := Outcome{Result: net.Result(), History: cfg.History.Counts(), Content: p.checked}
	for _, r := range report.Ranks {
		o.Phases = max(o.Phases, r.Phases)
		o.Requests += r.Requests
	}
	o.Failure = c.judge(err, p, cfg.History, &o)
	return o, nil
}

// connect makes the network of the case.
func (c *Case) connect() (*sim.Network, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	preset, err := sim.LoadPreset(sim.DefaultEnv)
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
	if c.MaxDelay == 0 { // the seed is for what datagrams suffer alone
		cfg.MaxDelay = 1
	}
	return sim.New(cfg)
}

// limit is when a run must be over.
func (c *Case) limit() (t fagus.Time) {
	for i := range c.Faults {
		t = max(t, c.Faults[i].End())
	}
	for _, round := range c.Rounds {
		for _, tenures := range round.Ranks {
			for _, tenure := range tenures {
				t += tenure.Compute
			}
		}
	}
	return t + Grace
}

// judge finds what is wrong with a run that ended with err.
func (c *Case) judge(err error, p *program, h *history.History, o *Outcome) *Failure {
	if v := h.Check(); v != nil {
		return &Failure{string(v.Axiom), v.Words}
	}
	if f := p.wrong; f != nil {
		return f
	}
	crash := c.crashed(&o.Result)
	switch {
	case errors.Is(err, dimmnet.ErrDeadlock) || errors.Is(err, sim.ErrLimit):
		return &Failure{failHang, err.Error()}
	case err != nil && strings.Contains(err.Error(), " panicked: "):
		return &Failure{failPanic, err.Error()}
	case crash == nil && err != nil:
		return &Failure{failError, err.Error()}
	case crash == nil:
		return nil
	}
	for r, said := range append(p.errs, err) {
		who := fmt.Sprintf("rank %d", r)
		if r == c.Nodes {
			who = "the run"
		} else if p.ended[r] && said == nil {
			continue // it serves others, or has done so
		}
		if named := (*sim.CrashError)(nil); !errors.As(said, &named) || named.Rank != crash.Rank || named.At != crash.At {
			return &Failure{failCrash, fmt.Sprintf("%v struck; %s says: %v", crash, who, said)}
		}
	}
	return nil
}

// crashed is the planned crash that struck, or nil.
func (c *Case) crashed(r *sim.Result) *sim.Fault {
	for i := range c.Faults {
		if c.Faults[i].Kind == sim.Crash && i < len(r.Struck) && r.Struck[i] {
			return &c.Faults[i]
		}
	}
	return nil
}
