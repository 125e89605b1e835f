package runflags

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/checkpoint/partner"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// checkpoints says where checkpoints are kept, and how often they are made.
type checkpoints struct {
	folder string // "": nowhere
	every  time.Duration
	share  float64       // of the run's time; 0: no limit
	named  bool          // the user has named the folder
	grace  time.Duration // after SIGTERM; 0: the run ends at once
	// restart is how often the job is started again when ranks die.
	restart int
	// copyMiB is how much a rank may copy, so that it computes while the copy is written.
	copyMiB int
	open    StoreOpener // nil: folder is a directory
}

// StoreOpener opens the store at a URL that --checkpoint names.
type StoreOpener func(ctx context.Context, url string) (checkpoint.Store, error)

// storeDriver is the cluster.Driver of a kind of stores, which begin with its name and "://".
type storeDriver interface {
	cluster.Driver
	// CheckURL returns at once the error of OpenStore for a URL that cannot be.
	CheckURL(url string) error
	OpenStore(ctx context.Context, url string) (checkpoint.Store, error)
}

const shareFlag = "checkpoint-share"

// A launcher that restarts a job hands its ranks the values of unset flags in these variables.
const (
	checkpointVariable = "FAGUS_CHECKPOINT"
	everyVariable      = "FAGUS_CHECKPOINT_EVERY"
)

// memoryEvery is the default of --checkpoint-every for checkpoints in memory, which cost little.
const memoryEvery = time.Second

// How long a job waits for the directory of its checkpoints if another job has locked it. At the
// first attempt that is probably a mistake. Later, ranks of the last attempt may have it, on a host
// that is cut off: an NFSv4 server releases their locks after the lease time, usually 90 s.
const (
	patience     = 2 * time.Second
	lostPatience = 2 * time.Minute
)

// RestartFlag returns the flag that ReadRestart reads.
func RestartFlag(category, more string) cli.Flag {
	return &cli.IntFlag{Name: "restart", Category: category, Usage: "when a rank dies, start the job again, up to `K` times" + more}
}

// ReadRestart reads the flag --restart.
func ReadRestart(c *cli.Context) (int, error) {
	times := c.Int("restart")
	if times < 0 {
		return 0, usage.Errorf("--restart %d: want 0 or more", times)
	}
	return times, nil
}

func checkpointFlags() []cli.Flag {
	const category = "checkpoints"
	return []cli.Flag{
		&cli.StringFlag{Name: "checkpoint", Category: category, Usage: "resume from the newest checkpoint in `DIR`, if there is one, and keep new ones there; all hosts must share it. fagus also takes s3://BUCKET/PREFIX"},
		RestartFlag(category, ", from the newest checkpoint; without --checkpoint it is kept in memory, every second: of this host or, with --hosts, of two hosts"),
		&cli.DurationFlag{Name: "checkpoint-every", Category: category, Value: 30 * time.Second, Usage: "least `TIME` between two checkpoints; 0s: at every cut, and the program waits until it is written"},
		&cli.Float64Flag{Name: shareFlag, Category: category, Value: 5, Usage: "make them less often if they took more than `PERCENT` of the run's time otherwise, writing included; 0: no limit. A --checkpoint-every that is given replaces the default, and simulated networks have no limit"},
		&cli.IntFlag{Name: "checkpoint-copy", Category: category, Value: 1024, Usage: "most `MIB` of memory in which a rank copies what has changed, to compute while that is written; a rank with more waits until it is written"},
		&cli.DurationFlag{Name: "grace", Category: category, Usage: "on SIGTERM, make a checkpoint at the next cut and exit with code 75, or end after `TIME`; Slurm and Kubernetes send SIGTERM some time before they kill (default: the run ends at once)"},
	}
}

func readCheckpoints(c *cli.Context, net Network) (p checkpoints, err error) {
	folder, every := read(c, "checkpoint", checkpointVariable), read(c, "checkpoint-every", everyVariable)
	p.folder, p.named = folder.value, folder.set
	if p.every, err = time.ParseDuration(every.value); err != nil {
		return p, usage.Errorf("%v: want a time", every)
	}
	if p.restart, err = ReadRestart(c); err != nil {
		return p, err
	}
	p.grace, p.copyMiB = c.Duration("grace"), c.Int("checkpoint-copy")
	percent := c.Float64(shareFlag)
	if c.IsSet(shareFlag) || !every.set {
		p.share = percent / 100
	}
	if strings.HasPrefix(p.folder, partner.Scheme+"://") {
		p.open = func(_ context.Context, address string) (checkpoint.Store, error) {
			return partner.FromEnv(address, os.LookupEnv)
		}
	} else if p.open, err = opener(c, p.folder); err != nil {
		return p, usage.Errorf("--checkpoint %w", err)
	}
	switch {
	case !(percent >= 0 && percent <= 100): // also NaN
		return p, usage.Errorf("--%s %v: want a percentage, 0 to 100", shareFlag, percent)
	case p.restart > 0 && !net.Processes:
		return p, usage.Errorf("--restart is for ranks that are processes: use it with --net %v", Which(processes))
	case p.grace < 0:
		return p, usage.Errorf("--grace %v: want a time", p.grace)
	case p.grace > 0 && p.folder == "":
		return p, usage.Errorf("--grace is the time for a last checkpoint: use it with --checkpoint DIR")
	case p.copyMiB < 0 || p.copyMiB > mostCopyMiB:
		return p, usage.Errorf("--checkpoint-copy %d: want 0 to %d MiB", p.copyMiB, mostCopyMiB)
	case p.every < 0:
		return p, usage.Errorf("--checkpoint-every %v: want a time", p.every)
	case p.folder == "" && c.IsSet("checkpoint"):
		return p, usage.Errorf("--checkpoint names no directory to keep checkpoints in")
	case p.folder == "" && p.restart == 0:
		for _, name := range []string{"checkpoint-every", shareFlag, "checkpoint-copy"} {
			if c.IsSet(name) {
				return p, usage.Errorf("--%s is for checkpoints: use it with --checkpoint DIR or --restart N", name)
			}
		}
	}
	return p, nil
}

// opener returns what opens the store at a URL; nil: the text names a directory.
func opener(c *cli.Context, text string) (StoreOpener, error) {
	scheme, _, isURL := strings.Cut(text, "://")
	if !isURL {
		return nil, nil
	}
	d, err := cluster.FindDriver[storeDriver](Drivers(c), scheme)
	switch {
	case err != nil && scheme == "s3":
		return nil, fmt.Errorf("%s: %w", text, err)
	case err != nil:
		return nil, fmt.Errorf("%s: this program has no stores of the kind %s: use a directory", text, scheme)
	}
	if err := d.CheckURL(text); err != nil {
		return nil, err
	}
	return d.OpenStore, nil
}

// ExistingStore opens what --checkpoint of a run named, to read there: a URL, or a directory that
// exists.
func ExistingStore(c *cli.Context, text string) (checkpoint.Store, error) {
	open, err := opener(c, text)
	if err != nil {
		return nil, usage.Wrap(err)
	}
	return existing(c.Context, open, text)
}

// existing opens a store, of which a directory must exist; nil: text names one.
func existing(ctx context.Context, open StoreOpener, text string) (checkpoint.Store, error) {
	if open == nil {
		return checkpoint.OpenExisting(text)
	}
	return open(ctx, text)
}

// mostCopyMiB bounds --checkpoint-copy: 1 TiB.
const mostCopyMiB = 1 << 20

// keeper returns a keeper, or nil if no checkpoints are kept. In virtual time, and with a
// checkpoint at every cut, a rank writes before it goes on: so every run makes the same
// checkpoints.
func (cfg *Config) keeper(ctx context.Context) (*checkpoint.Keeper, error) {
	p, virtual := &cfg.Checkpoints, cfg.Network.Simulated
	if p.folder == "" {
		return nil, nil
	}
	store, err := p.store(ctx, cfg.place != nil && cfg.place.Attempt > 0)
	if err != nil {
		return nil, err
	}
	of := checkpoint.Config{Store: store, Every: p.every, Share: p.share, Copy: p.copied(virtual), Program: cfg.Program, Input: cfg.Input}
	if virtual {
		of.Share = 0
	}
	return checkpoint.New(of), nil
}

// askedSoon is how long a program may compute before it is reported that it makes no checkpoints.
const askedSoon = 30 * time.Second

// reportNone reports that a run makes no checkpoints: some time after its begin, if the program
// does not ask for one, and at its end.
func (t *Target) reportNone(k *checkpoint.Keeper) (atEnd func(failed bool)) {
	if t.to == nil || t.Rank() != 0 {
		return func(bool) {}
	}
	early := time.AfterFunc(max(askedSoon, t.Checkpoints.every), func() {
		if !k.Asked() {
			fmt.Fprintf(t.to, "fagus: no checkpoint so far: %s\n", k.Cost().None)
		}
	})
	return func(failed bool) {
		early.Stop()
		c := k.Cost()
		t.kept = &c
		if c.Made == 0 && !failed && (t.Checkpoints.named || !k.Asked()) {
			fmt.Fprintf(t.to, "fagus: %v\n", &c)
		}
	}
}

// copied returns how many bytes a rank copies.
func (p *checkpoints) copied(virtual bool) int64 {
	if virtual || p.every == 0 {
		return 0
	}
	return int64(p.copyMiB) << 20
}

// store opens the store. again says that the job was started before.
func (p *checkpoints) store(ctx context.Context, again bool) (checkpoint.Store, error) {
	if p.open != nil {
		return p.open(ctx, p.folder)
	}
	store, err := checkpoint.OpenDirectory(p.folder)
	if err != nil {
		return nil, err
	}
	// A launcher may have been killed, or lost a host, whose ranks end a little later.
	store.Patience = patience
	if again {
		store.Patience = lostPatience
	}
	return store, nil
}

// withGrace returns a context that ends when ctx does. If ctx ends by SIGTERM, it calls stop, and
// the context ends after grace.
func withGrace(ctx context.Context, grace time.Duration, stop func()) (context.Context, func()) {
	if grace == 0 {
		return ctx, func() {}
	}
	patient, end := context.WithCancelCause(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		if got := (*launch.SignalError)(nil); !errors.As(cause, &got) || got.Signal != syscall.SIGTERM {
			end(cause)
			return
		}
		time.AfterFunc(grace, func() { end(cause) })
		stop()
	})
	return patient, func() {
		forget()
		end(nil)
	}
}

// stopsBySignal has a stopSignal stop the run at the next cut, until end is called.
func stopsBySignal(k *checkpoint.Keeper) (end func()) {
	if stopSignal() == nil {
		return func() {}
	}
	got, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(got, stopSignal())
	go func() {
		select {
		case <-got:
			k.Stop()
		case <-over:
		}
	}()
	return func() {
		signal.Stop(got)
		close(over)
	}
}
