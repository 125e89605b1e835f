package main

import (
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/sor"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func sorCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the problem"
	return programCommand(usage, &cli.Command{
		Name:  "sor",
		Usage: "a harmonic function by red-black successive over-relaxation; neighbours' rows move",
		UsageText: "fagus run sor [flags]\n\n" +
			"fagus run sor                                        2 simulated nodes\n" +
			"fagus run sor --n 2000 --iterations 100 --net shm    which does not get near enough",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Category: input, Value: 200, Usage: "rows and columns of the grid, the border included"},
			&cli.IntFlag{Name: "iterations", Category: input, Usage: "over all points; 0 stands for 5 times --n, which is enough"},
			spoilFlag(input),
		},
	}, func(c *cli.Context) (*job, error) {
		cfg := sor.Config{N: c.Int("n"), Iterations: c.Int("iterations"), Spoil: c.Bool("spoil")}
		if err := cfg.Validate(); err != nil {
			return nil, &usageError{err}
		}
		return sorJob(cfg), nil
	})
}

func sorJob(cfg sor.Config) *job {
	near := func(r sor.Result) outcome {
		return outcome{check: check{Name: "error/x^2-y^2", Value: min(r.Error, math.MaxFloat64), Limit: sor.Tolerance}, bits: math.Float64bits(r.Error), took: r.Time}
	}
	return &job{
		app: "sor", n: cfg.N, size: fmt.Sprintf("%d x %d, %d iterations", cfg.N, cfg.N, cfg.Total()),
		measured: "iterations, of the slowest rank", unit: "iterations", units: cfg.Total(),
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := sor.Run(n, cfg)
			return near(r), err
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			cfg := cfg
			cfg.Progress = progress
			return near(sor.Plain(cfg, timed))
		},
	}
}
