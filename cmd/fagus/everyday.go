package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/kmeans"
	"github.com/fagus-dsm/fagus/apps/mandelbrot"
	"github.com/fagus-dsm/fagus/apps/matrix"
	"github.com/fagus-dsm/fagus/apps/pagerank"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// everydayCommands are those of programs that people run, too, who do not measure machines.
func everydayCommands(usage cli.OnUsageErrorFunc) []*cli.Command {
	return []*cli.Command{kmeansCommand(usage), pagerankCommand(usage), conjugateCommand(usage), mandelbrotCommand(usage)}
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
	j := &job{inputs: []string{c.String("in")}}
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
	const name = "error/tolerance of centres and choices"
	return &job{
		app: "kmeans", n: cfg.Points, measured: "iterations, of the slowest rank", unit: "iterations",
		size: fmt.Sprintf("%d points of %d coordinates, %d clusters", cfg.Points, cfg.Dimensions, cfg.Clusters),
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := kmeans.Run(n, cfg)
			return checkedOutcome(n, name, r, err)
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			cfg := cfg
			cfg.Progress = progress
			return outcomeOf(name, kmeans.Plain(cfg, timed))
		},
	}
}

func pagerankCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the graph"
	return programCommand(usage, &cli.Command{
		Name:  "pagerank",
		Usage: "ranks of the pages of a graph",
		UsageText: "fagus run pagerank [flags]\n\n" +
			"fagus run pagerank                                   2000 generated pages on 2 simulated nodes\n" +
			"fagus run pagerank --pages 500000 --links 5000000 --net shm\n" +
			"fagus run pagerank --in web-Stanford.txt --top 10    an edge list as SNAP has them",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "pages", Category: input, Value: 2000, Usage: "generate so many `PAGES`"},
			&cli.IntFlag{Name: "links", Category: input, Value: 20000, Usage: "generate so many `LINKS`"},
			&cli.StringFlag{Name: "in", Category: input, Usage: "read the links from `FILE`: lines of two numbers, and comments after #"},
			&cli.Float64Flag{Name: "damping", Category: input, Value: 0.85, Usage: "`PROBABILITY` that a reader follows a link"},
			&cli.Float64Flag{Name: "tolerance", Category: input, Value: 1e-10, Usage: "end when ranks change by no more than `X` in all"},
			&cli.IntFlag{Name: "iterations", Category: input, Value: 1000, Usage: "fail after `N` iterations"},
			&cli.IntFlag{Name: "top", Category: outputCategory, Value: 5, Usage: "print the `N` pages of the highest rank"},
			spoilFlag(input),
		},
	}, preparePagerank)
}

func preparePagerank(c *cli.Context) (*job, error) {
	cfg := pagerank.Config{
		Graph: &pagerank.Graph{Pages: 1}, Damping: c.Float64("damping"), Tolerance: c.Float64("tolerance"),
		Iterations: c.Int("iterations"), Top: c.Int("top"), Spoil: c.Bool("spoil"),
	}
	if err := cfg.Validate(); err != nil {
		return nil, &usageError{err}
	}
	path := c.String("in")
	if path != "" && (c.IsSet("pages") || c.IsSet("links")) {
		return nil, usagef("--pages and --links are of a generated graph: use them without --in")
	}
	j := &job{}
	if path != "" {
		j.inputs = []string{path}
	}
	j.open = func(ctx context.Context) (err error) {
		if path == "" {
			cfg.Graph, err = pagerank.Generate(c.Int("pages"), c.Int("links"), c.Uint64("seed"))
		} else {
			cfg.Graph, err = readInput(ctx, path, pagerank.Read)
		}
		if err != nil {
			return asUsage(err)
		}
		*j = *pagerankJob(cfg)
		return nil
	}
	return j, nil
}

// asUsage is for what can be read but makes no sense: that is a mistake in the call.
func asUsage(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &usageError{err}
}

// readInput gives up when ctx ends: a pipe may never say anything.
func readInput[T any](ctx context.Context, path string, read func(string) (T, error)) (T, error) {
	type reading struct {
		what T
		err  error
	}
	done := make(chan reading, 1)
	go func() {
		what, err := read(path)
		done <- reading{what, err}
	}()
	select {
	case r := <-done:
		return r.what, r.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("while reading %s: %w", path, ctx.Err())
	}
}

func pagerankJob(cfg pagerank.Config) *job {
	const name = "error/tolerance of the stationary equation"
	return &job{
		app: "pagerank", n: cfg.Graph.Pages, measured: "iterations, of the slowest rank", unit: "iterations",
		size: fmt.Sprintf("%d links of %d pages, damping %g", len(cfg.Graph.Links), cfg.Graph.Pages, cfg.Damping),
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := pagerank.Run(n, cfg)
			return checkedOutcome(n, name, r, err)
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			cfg := cfg
			cfg.Progress = progress
			return outcomeOf(name, pagerank.Plain(cfg, timed))
		},
	}
}

func mandelbrotCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the picture"
	return programCommand(usage, &cli.Command{
		Name:  "mandelbrot",
		Usage: "a picture of the Mandelbrot set, rows from a queue",
		UsageText: "fagus run mandelbrot [flags]\n\n" +
			"fagus run mandelbrot --out set.png --mode threaded   each rank takes rows when it has none\n" +
			"fagus run mandelbrot --static                        shared out beforehand: for phases\n" +
			"fagus run mandelbrot --x -0.7436 --y 0.1318 --span 0.004 --limit 5000 --width 1920 --height 1080 --net shm --mode threaded --out valley.png",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "width", Category: input, Value: 320, Usage: "`POINTS` of a row"},
			&cli.IntFlag{Name: "height", Category: input, Value: 200, Usage: "`ROWS`"},
			&cli.Float64Flag{Name: "x", Category: input, Value: -0.6, Usage: "`X` of the middle"},
			&cli.Float64Flag{Name: "y", Category: input, Usage: "`Y` of the middle"},
			&cli.Float64Flag{Name: "span", Category: input, Value: 3.6, Usage: "the picture is `X` wide"},
			&cli.IntFlag{Name: "limit", Category: input, Value: 1000, Usage: "a point that has not left after `N` steps is inside"},
			&cli.IntFlag{Name: "batch", Category: input, Value: 4, Usage: "so many `ROWS` are taken at a time"},
			&cli.BoolFlag{Name: "static", Category: input, Usage: "share out the rows cyclically, without a queue"},
			&cli.IntFlag{Name: "verify", Category: input, Value: 8, Usage: "verify so many `ROWS`, chosen by --seed"},
			spoilFlag(input),
			&cli.StringFlag{Name: "out", Category: outputCategory, Usage: "write the picture to `FILE` (.png)"},
		},
	}, prepareMandelbrot)
}

func prepareMandelbrot(c *cli.Context) (*job, error) {
	if err := checkWritable(c, "out", func(path string) error {
		if figureFormat(path) != "png" {
			return fmt.Errorf("%s: want a name that ends in .png", path)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	cfg := mandelbrot.Config{
		Width: c.Int("width"), Height: c.Int("height"), X: c.Float64("x"), Y: c.Float64("y"), Span: c.Float64("span"), Limit: c.Int("limit"),
		Batch: c.Int("batch"), Static: c.Bool("static"), Rows: c.Int("verify"), Seed: c.Uint64("seed"), Spoil: c.Bool("spoil"),
	}
	if err := cfg.Validate(); err != nil {
		return nil, &usageError{err}
	}
	return mandelbrotJob(cfg, c.String("out")), nil
}

// mandelbrotJob is a picture that is to be written to a file, unless that has no name.
func mandelbrotJob(cfg mandelbrot.Config, out string) *job {
	var picture []uint16
	finished := func(r mandelbrot.Result) outcome {
		picture = r.Picture
		return outcome{
			took: r.Time, check: check{Name: "wrong-points/plain-loop", Value: float64(r.Wrong)},
			words: fmt.Sprintf("%d points of %d are inside; %d rows verified", r.Inside, len(r.Picture), min(cfg.Rows, cfg.Height)),
		}
	}
	j := &job{
		app: "mandelbrot", n: cfg.Width, measured: "rows, of the slowest rank", unit: "rows", units: cfg.Height,
		size: fmt.Sprintf("%d x %d points of up to %d steps, %g wide around %g, %g", cfg.Width, cfg.Height, cfg.Limit, cfg.Span, cfg.X, cfg.Y),
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := mandelbrot.Run(n, cfg)
			if n.Rank() != 0 || err != nil {
				return outcome{took: r.Time}, err
			}
			return finished(r), nil
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			cfg := cfg
			cfg.Progress = progress
			return finished(mandelbrot.Plain(cfg, timed))
		},
	}
	if out != "" {
		j.write = func() error {
			return matrix.Replace(out, func(w io.Writer) error { return mandelbrot.EncodePNG(w, picture, cfg.Width, cfg.Limit) })
		}
	}
	return j
}
