package catalog

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/pagerank"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func pagerankProgram() Program {
	return Program{Name: "pagerank", About: "ranks of the pages of a graph", VerifiedBy: "residual along the links, sum of the ranks",
		Examples: `
fagus run pagerank                                  2000 generated pages on 2 simulated nodes
fagus run pagerank --pages 500000 --links 5000000 --net shm
fagus run pagerank --in links.txt --top 10         an edge list in the format of SNAP: see fagus data`,
		Flags: under("the graph",
			&cli.IntFlag{Name: "pages", Value: 2000, Usage: "generate `N` pages"},
			&cli.IntFlag{Name: "links", Value: 20000, Usage: "generate `N` links"},
			&cli.StringFlag{Name: "in", Usage: "read the links from `FILE`: lines of two numbers, and comments after # or % (also .gz)"},
			&cli.Float64Flag{Name: "damping", Value: 0.85, Usage: "`PROBABILITY` that a reader follows a link"},
			&cli.Float64Flag{Name: "tolerance", Value: 1e-10, Usage: "stop when an iteration changes the ranks by at most `X` in all"},
			&cli.IntFlag{Name: "iterations", Value: 1000, Usage: "fail after `N` iterations"},
			&cli.IntFlag{Name: "top", Category: outputCategory, Value: 5, Usage: "print the `N` pages of the highest rank"},
			spoilFlag(),
		),
		Prepare: preparePagerank,
	}
}

func preparePagerank(f Flags) (*Job, error) {
	cfg := pagerank.Config{
		Graph: &pagerank.Graph{Pages: 1}, Damping: f.Float64("damping"), Tolerance: f.Float64("tolerance"),
		Iterations: f.Int("iterations"), Top: f.Int("top"), Options: f.options(),
	}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	path := f.String("in")
	if path != "" && (f.IsSet("pages") || f.IsSet("links")) {
		return nil, usage.Errorf("--pages and --links are of a generated graph: use them without --in")
	}
	j := &Job{App: "pagerank", N: f.Int("pages"), Size: fmt.Sprintf("%d links of %d pages", f.Int("links"), f.Int("pages"))}
	if path == "" {
		if err := pagerank.CheckSize(f.Int("pages"), f.Int("links")); err != nil {
			return nil, usage.Wrap(err)
		}
		j.Memory = func(n int) int { return capacity.Sum(capacity.Product(8, n), capacity.Product(8, f.Int("links"))) }
	} else {
		j.Inputs = []string{path}
	}
	j.Open = func(ctx context.Context) (err error) {
		if path == "" {
			cfg.Graph, err = pagerank.Generate(f.Int("pages"), f.Int("links"), f.Seed)
		} else {
			cfg.Graph, err = readInput(ctx, path, pagerank.Read)
		}
		if err == nil {
			*j = *pagerankJob(cfg)
		}
		return err
	}
	return j, nil
}

func pagerankJob(cfg pagerank.Config) *Job {
	return jobOf(code[pagerank.Config, verify.Result]{
		config: cfg, progress: func(c *pagerank.Config) *func(int) { return &c.Progress }, run: pagerank.Run, plain: infallible(pagerank.Plain),
		outcome: verified("error/tolerance of the stationary equation"),
	}, &Job{
		App: "pagerank", N: cfg.Graph.Pages, Measured: "iterations, of the slowest rank", Unit: "iterations",
		Size: fmt.Sprintf("%d links of %d pages, damping %g", len(cfg.Graph.Links), cfg.Graph.Pages, cfg.Damping),
	})
}
