package main

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/workqueue"
	"github.com/fagus-dsm/fagus/fagus"
)

func workqueueCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the tasks"
	return programCommand(usage, &cli.Command{
		Name:  "workqueue",
		Usage: "tasks of unequal length from a shared queue",
		UsageText: "fagus run workqueue [flags]\n\n" +
			"fagus run workqueue --mode threaded --notices        each rank takes a task when it has none\n" +
			"fagus run workqueue                                  in phases ranks take turns, and compute one after another\n" +
			"fagus run workqueue --static                         shared out beforehand, no queue\n" +
			"fagus run workqueue --skew 0.7 --batch 4 --mode threaded --notices --nodes 8",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "tasks", Category: input, Value: 256, Usage: "number of `TASKS`"},
			&cli.IntFlag{Name: "batch", Category: input, Value: 1, Usage: "so many `TASKS` are taken at a time"},
			&cli.DurationFlag{Name: "work", Category: input, Value: time.Millisecond, Usage: "mean computation of a task: on the simulated machine it takes `TIME`, on a real one what it takes"},
			&cli.Float64Flag{Name: "skew", Category: input, Usage: "the k-th longest task takes 1/k^`SKEW` of the longest; 0: all are equal"},
			&cli.BoolFlag{Name: "static", Category: input, Usage: "share out the batches cyclically, without a queue"},
		},
	}, func(c *cli.Context) (*job, error) {
		cfg, err := workqueueConfig(c, c.Float64("skew"), c.Bool("static"))
		if err != nil {
			return nil, err
		}
		return workqueueJob(cfg), nil
	})
}

// workqueueConfig reads the flags that fagus run and fagus sweep have in common. A
// batch of 0 would stand for 1.
func workqueueConfig(c *cli.Context, skew float64, static bool) (workqueue.Config, error) {
	cfg := workqueue.Config{
		Tasks: c.Int("tasks"), Batch: c.Int("batch"), Work: virtual(c.Duration("work")), Skew: skew, Static: static, Seed: c.Uint64("seed"),
	}
	if cfg.Batch == 0 {
		return cfg, usagef("workqueue: batches of 0 tasks: want at least 1")
	}
	if err := cfg.Validate(); err != nil {
		return cfg, &usageError{err}
	}
	return cfg, nil
}

func workqueueJob(cfg workqueue.Config) *job {
	order := "from a queue"
	if cfg.Static {
		order = "shared out beforehand"
	}
	return &job{
		app: "workqueue", n: cfg.Tasks, measured: "tasks, of the slowest rank", unit: "tasks", units: cfg.Tasks,
		size: fmt.Sprintf("%d tasks of %v in the mean, skew %v, %s, %d at a time", cfg.Tasks, cfg.Work, cfg.Skew, order, cfg.Batch),
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := workqueue.Run(n, cfg)
			return outcome{check: check{Name: "wrong-results/jump-ahead", Value: float64(r.Wrong)}, took: r.Time}, err
		},
	}
}
