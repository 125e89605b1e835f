package runflags

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog/usage"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// checkpoints says where checkpoints are kept, and how often they are made.
type checkpoints struct {
	folder string // "": nowhere
	every  time.Duration
}

func checkpointFlags() []cli.Flag {
	const category = "checkpoints"
	return []cli.Flag{
		&cli.StringFlag{Name: "checkpoint", Category: category, Usage: "resume from the newest checkpoint in `DIR`, if there is one, and keep new ones there; all hosts must share it"},
		&cli.DurationFlag{Name: "checkpoint-every", Category: category, Value: 30 * time.Second, Usage: "least `TIME` between two checkpoints; 0s: every time that the program can"},
	}
}

func readCheckpoints(c *cli.Context) (checkpoints, error) {
	p := checkpoints{c.String("checkpoint"), c.Duration("checkpoint-every")}
	switch {
	case p.every < 0:
		return p, usage.Errorf("--checkpoint-every %v: want a time", p.every)
	case p.folder == "" && (c.IsSet("checkpoint") || c.IsSet("checkpoint-every")):
		return p, usage.Errorf("--checkpoint names no directory to keep checkpoints in")
	}
	return p, nil
}

// keeper returns a keeper, or nil if no checkpoints are kept.
func (p *checkpoints) keeper() (*checkpoint.Keeper, error) {
	if p.folder == "" {
		return nil, nil
	}
	store, err := checkpoint.OpenDirectory(p.folder)
	if err != nil {
		return nil, err
	}
	return checkpoint.New(checkpoint.Config{Store: store, Every: p.every}), nil
}
