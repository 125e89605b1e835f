package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/kmeans"
	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/fagus"
)

// everydayCommands are those of programs that people run, too, who do not measure machines.
func everydayCommands(usage cli.OnUsageErrorFunc) []*cli.Command {
	return []*cli.Command{kmeansCommand(usage)}
}

func spoilFlag(category string) cli.Flag {
	return &cli.BoolFlag{Name: "spoil", Category: category, Usage: "make one number wrong, to see that it is found"}
}

// checkedOutcome is of a program that has npb's Result, and is named by what its checks are.
func checkedOutcome(n *fagus.Node, name string, r npb.Result, err error) (outcome, error) {
	o := outcome{took: r.Time}
	if n.Rank() == 0 && err == nil {
		o.check = check{Name: name, Value: min(r.Excess(), math.MaxFloat64), Limit: 1}
		lines := r.Lines
		for _, c := range r.Checks {
			lines = append(lines, c.String())
		}
		o.words = strings.Join(lines, "\n")
	}
	return o, err
}

func kmeansCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the points"
	return programCommand(usage, &cli.Command{
		Name:  "kmeans",
		Usage: "clusters of points by Lloyd's iterations",
		UsageText: "fagus run kmeans [flags]\n\n" +
			"fagus run kmeans                                     20000 generated points on 2 simulated nodes\n" +
			"fagus run kmeans --points 1000000 --clusters 32 --dimensions 8 --net shm\n" +
			"fagus run kmeans --in points.npy --clusters 5        a point a row",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "points", Category: input, Value: 20000, Usage: "generate so many `POINTS`"},
			&cli.IntFlag{Name: "dimensions", Category: input, Value: 4, Usage: "generate points of `N` coordinates"},
			&cli.StringFlag{Name: "in", Category: input, Usage: "read the points from `FILE` (.npy or .mtx), a row each"},
			&cli.IntFlag{Name: "clusters", Category: input, Value: 8, Usage: "find so many `CLUSTERS`"},
			&cli.IntFlag{Name: "iterations", Category: input, Value: 100, Usage: "end after `N` iterations, if points still change"},
			spoilFlag(input),
		},
	}, prepareKmeans)
}

func prepareKmeans(c *cli.Context) (*job, error) {
	cfg := kmeans.Config{
		Points: c.Int("points"), Dimensions: c.Int("dimensions"), Clusters: c.Int("clusters"), Iterations: c.Int("iterations"),
		Seed: c.Uint64("seed"), Spoil: c.Bool("spoil"),
	}
	ready := func() (*job, error) {
		if err := cfg.Validate(); err != nil {
			return nil, &usageError{err}
		}
		return kmeansJob(cfg), nil
	}
	if c.String("in") == "" {
		return ready()
	}
	if c.IsSet("points") || c.IsSet("dimensions") {
		return nil, usagef("--points and --dimensions are of generated points: use them without --in")
	}
	j := &job{}
	j.open = func(ctx context.Context) error {
		points, err := readMatrix(ctx, c.String("in"))
		if err != nil {
			return err
		}
		cfg.Data = &points
		opened, err := ready()
		if err == nil {
			*j = *opened
		}
		return err
	}
	return j, nil
}

func kmeansJob(cfg kmeans.Config) *job {
	return &job{
		app: "kmeans", n: cfg.Points, measured: "iterations, of the slowest rank", unit: "iterations",
		size: fmt.Sprintf("%d points of %d coordinates, %d clusters", cfg.Points, cfg.Dimensions, cfg.Clusters),
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := kmeans.Run(n, cfg)
			return checkedOutcome(n, "error/tolerance of centres and choices", r, err)
		},
	}
}
