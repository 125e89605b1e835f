package catalog

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/kmeans"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func kmeansProgram() Program {
	return Program{Name: "kmeans", About: "clusters of points by Lloyd's iterations", VerifiedBy: "nearest centres and means, by one rank alone",
		Examples: `
fagus run kmeans                                    20000 generated points on 2 simulated nodes
fagus run kmeans --points 100000 --clusters 16 --dimensions 8 --net shm
fagus run kmeans --in points.npy --clusters 5       a point per row: see fagus data`,
		Flags: under("the points",
			&cli.IntFlag{Name: "points", Value: 20000, Usage: "generate `N` points"},
			&cli.IntFlag{Name: "dimensions", Value: 4, Usage: "generate points of `N` coordinates"},
			&cli.StringFlag{Name: "in", Usage: "read the points from `FILE` (.npy or .mtx), one per row"},
			&cli.IntFlag{Name: "clusters", Value: 8, Usage: "find `N` clusters"},
			&cli.IntFlag{Name: "iterations", Value: 100, Usage: "stop after `N` iterations, though points still change clusters"},
			spoilFlag(),
		),
		Prepare: prepareKmeans,
	}
}

func prepareKmeans(f Flags) (*Job, error) {
	cfg := kmeans.Config{
		Points: f.Int("points"), Dimensions: f.Int("dimensions"), Clusters: f.Int("clusters"), Iterations: f.Int("iterations"),
		Seed: f.Seed, Options: f.options(),
	}
	path := f.String("in")
	if path == "" {
		return kmeansJob(cfg)
	}
	if f.IsSet("points") || f.IsSet("dimensions") {
		return nil, usage.Errorf("--points and --dimensions are of generated points: use them without --in")
	}
	j := &Job{Inputs: []string{path}}
	j.Open = func(ctx context.Context) error {
		points, err := readMatrix(ctx, path)
		if err != nil {
			return err
		}
		cfg.Data = &points
		opened, err := kmeansJob(cfg)
		if err == nil {
			*j = *opened
		}
		return err
	}
	return j, nil
}

func kmeansJob(cfg kmeans.Config) (*Job, error) {
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	return jobOf(code[kmeans.Config, verify.Result]{
		config: cfg, progress: func(c *kmeans.Config) *func(int) { return &c.Progress }, run: kmeans.Run, plain: infallible(kmeans.Plain),
		outcome: verified("error/tolerance of centres and choices"),
	}, &Job{
		App: "kmeans", N: cfg.Points, Memory: func(n int) int { return capacity.Product(8, n, cfg.Dimensions) }, Measured: "iterations, of the slowest rank", Unit: "iterations",
		Size: fmt.Sprintf("%d points of %d coordinates, %d clusters", cfg.Points, cfg.Dimensions, cfg.Clusters),
	}), nil
}
