package runflags

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog/usage"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// checkpoints says where checkpoints are kept, and how often they are made.
type checkpoints struct {
	folder string // "": nowhere
	every  time.Duration
	grace  time.Duration // after SIGTERM; 0: the run ends at once
}

func checkpointFlags() []cli.Flag {
	const category = "checkpoints"
	return []cli.Flag{
		&cli.StringFlag{Name: "checkpoint", Category: category, Usage: "resume from the newest checkpoint in `DIR`, if there is one, and keep new ones there; all hosts must share it"},
		&cli.DurationFlag{Name: "checkpoint-every", Category: category, Value: 30 * time.Second, Usage: "least `TIME` between two checkpoints; 0s: every time that the program can"},
		&cli.DurationFlag{Name: "grace", Category: category, Usage: "on SIGTERM, make a checkpoint at the next cut and exit with code 75, or end after `TIME`; Slurm and Kubernetes send SIGTERM some time before they kill (default: the run ends at once)"},
	}
}

func readCheckpoints(c *cli.Context) (checkpoints, error) {
	p := checkpoints{c.String("checkpoint"), c.Duration("checkpoint-every"), c.Duration("grace")}
	switch {
	case p.grace < 0:
		return p, usage.Errorf("--grace %v: want a time", p.grace)
	case p.grace > 0 && p.folder == "":
		return p, usage.Errorf("--grace is the time for a last checkpoint: use it with --checkpoint DIR")
	case p.every < 0:
		return p, usage.Errorf("--checkpoint-every %v: want a time", p.every)
	case p.folder == "" && (c.IsSet("checkpoint") || c.IsSet("checkpoint-every")):
		return p, usage.Errorf("--checkpoint names no directory to keep checkpoints in")
	}
	return p, nil
}

// copied is how many bytes a rank copies, so that it computes while they are written.
const copied = 1 << 30

// keeper returns a keeper, or nil if no checkpoints are kept. In virtual time a rank writes before
// it goes on, so that the same checkpoints are made in every run.
func (p *checkpoints) keeper(virtual bool) (*checkpoint.Keeper, error) {
	if p.folder == "" {
		return nil, nil
	}
	store, err := checkpoint.OpenDirectory(p.folder)
	if err != nil {
		return nil, err
	}
	cfg := checkpoint.Config{Store: store, Every: p.every}
	if !virtual {
		cfg.Copy = copied
	}
	return checkpoint.New(cfg), nil
}

// patient returns a context that ends when ctx does or, if ctx ends by SIGTERM, when the run has
// had the time of --grace for a last checkpoint.
func (p *checkpoints) patient(ctx context.Context, k *checkpoint.Keeper) (context.Context, func()) {
	if k == nil || p.grace == 0 {
		return ctx, func() {}
	}
	patient, end := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		if got := (*launch.SignalError)(nil); !errors.As(cause, &got) || got.Signal != syscall.SIGTERM {
			end(cause)
			return
		}
		k.Stop()
		time.AfterFunc(p.grace, func() { end(cause) })
	})
	return patient, func() {
		stop()
		end(nil)
	}
}
