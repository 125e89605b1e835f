package runflags

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/internal/source"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Target is a network on which a program can run.
type Target struct {
	Config
	Net dimmnet.Network
	Sim Simulation // the same as Net if the network is simulated; nil otherwise

	job interface { // the job that this process has joined; nil if all ranks are in this process
		Close(ctx context.Context) error
	}
	began  atomic.Int64     // ranks of the last run that have begun in this process
	ask    chan os.Signal   // asks for a roll-call; nil before callRolls
	called chan struct{}    // has an element after a roll-call
	to     io.Writer        // for what is not the report; nil before callRolls
	kept   *checkpoint.Cost // of the last run; nil: it kept no checkpoints
}

const (
	// inprocBulk is the bulk memory of a node in bytes, inprocBulks the limit for all nodes. They
	// are for --transfer push and for lists over a tree. Otherwise inproc has no bulk memory, which
	// costs one more copy.
	inprocBulk  = 16 << 20
	inprocBulks = 1 << 30
	// inprocPoll is how long idle threads poll: longer than any compute phase of a comparison.
	inprocPoll = time.Minute
)

// Open returns the target that cfg describes. If the ranks are processes, it returns when all
// ranks have joined the job; cfg.Launches must be false.
func (cfg Config) Open(ctx context.Context) (*Target, error) {
	t := &Target{Config: cfg}
	t.Doing("the ranks have not met")
	switch {
	case cfg.replayed != nil:
		return t, nil
	case cfg.Network.Processes:
		return t, t.join(ctx)
	case cfg.Network.Simulated:
		var err error
		t.Sim, err = cfg.simulation()
		t.Net = t.Sim
		return t, err
	}
	var c inproc.Config
	if cfg.Transfer == fagus.Push || cfg.wantsTree() {
		c.Bulk = min(inprocBulk, inprocBulks/cfg.Nodes)
	}
	if cfg.Poll {
		c.Poll = inprocPoll
	}
	t.Net = inproc.New(c)
	return t, nil
}

// wantsTree reports whether lists may travel over a tree on inproc. With few nodes they do not:
// bulk memory would make data go by PUSH, too.
func (cfg *Config) wantsTree() bool {
	many := cfg.Nodes > fagus.DirectNodes && cfg.Mode == fagus.Phase && cfg.Transfer == fagus.Auto
	return cfg.Lists == fagus.ListsTree || cfg.Lists == fagus.ListsAuto && many
}

func (t *Target) join(ctx context.Context) error {
	if !t.Network.Hosts || !t.place.Spans() {
		if err := t.place.CheckHost(); err != nil {
			return usage.Wrap(err)
		}
	}
	spec := t.Spec
	if t.Log != nil {
		spec.Log = t.Log.With("rank", t.place.Rank)
	}
	if err := spec.Complete(os.LookupEnv, *t.place); err != nil {
		return t.reported(ctx, asUsage(err))
	}
	job, err := cluster.Join(ctx, *t.place, spec)
	if err != nil {
		return t.reported(ctx, err)
	}
	t.job, t.Net = job, job.Network()
	return nil
}

// Run runs a program on all ranks that are in this process. If the target has no space for so many
// nodes, the error is one of usage.
func (t *Target) Run(ctx context.Context, program func(*fagus.Node) error) (report fagus.Report, err error) {
	t.began.Store(0)
	keeper, err := t.keeper(ctx)
	if err != nil {
		return fagus.Report{}, t.reported(ctx, err)
	}
	var kept fagus.Checkpointer
	if keeper != nil {
		kept = keeper
		defer keeper.Close()
		atEnd := t.reportNone(keeper)
		defer func() { atEnd(err != nil && ctx.Err() == nil) }()
		defer stopsBySignal(keeper)()
		patient, end := withGrace(ctx, t.Checkpoints.grace, keeper.Stop)
		defer end()
		ctx = patient
	}
	t.Doing("a rank has not returned")
	if t.Sim != nil {
		t.Doing(fmt.Sprintf("the simulation of %d nodes has not ended", t.Nodes))
	}
	t.watch.calls(t)
	defer t.watch.calls(nil)
	cfg := t.Config.Config
	cfg.Nodes, cfg.Net, cfg.Checkpoints = t.Nodes, t.Net, kept
	if !t.isRank() { // of a process the launcher prints the error
		cfg.RollCall.Failed = t.watch.failed
	}
	if t.Record != nil {
		t.Record.Program = t.Program
	}
	report, err = fagus.Run(source.WithProgram(ctx, program), cfg, func(n *fagus.Node) error {
		t.began.Add(1)
		return program(n)
	})
	if err = t.reported(ctx, err); err != nil && t.began.Load() == 0 && ctx.Err() == nil {
		err = asUsage(err)
	}
	return report, err
}

// asUsage makes err, an error about what the user has set, one of usage, unless the operating
// system or another process caused it.
func asUsage(err error) error {
	var errno syscall.Errno
	var other *cluster.Failed
	var peer *dimmnet.Failed
	if errors.As(err, &errno) || errors.As(err, &other) || errors.As(err, &peer) {
		return err
	}
	return usage.Wrap(err)
}

// reported tells the launcher, if there is one, which rank failed first. It returns err, as
// passedOn if another rank failed first.
func (t *Target) reported(ctx context.Context, err error) error {
	if err != nil && t.isRank() && cluster.ReportOrigin(t.place.Rank, err, !endedQuietly(ctx, err)) {
		return &passedOn{err}
	}
	return err
}

// passedOn is an error that the launcher prints if it has no better one.
type passedOn struct{ error }

func (p *passedOn) Unwrap() error { return p.error }

// Close leaves the job if the ranks are processes. It waits until all ranks leave the job.
func (t *Target) Close(ctx context.Context) error {
	if t.job == nil {
		return nil
	}
	t.Doing("the ranks have not all left the job")
	return t.reported(ctx, t.job.Close(ctx))
}
