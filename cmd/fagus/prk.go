package main

import (
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/dgemm"
	"github.com/fagus-dsm/fagus/apps/nstream"
	"github.com/fagus-dsm/fagus/apps/p2p"
	"github.com/fagus-dsm/fagus/apps/prk"
	"github.com/fagus-dsm/fagus/apps/stencil"
	"github.com/fagus-dsm/fagus/apps/transpose"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// kernel is one of the Parallel Research Kernels.
type kernel struct {
	name, what string
	rate       string // what PRK prints
	check      string // of the closed form
	example    string // flags
	sizes      []size
	of         func(sizes map[string]int, l prk.Loop) kernelRun
}

// size is a flag that says how large the problem is.
type size struct {
	name, usage string
	value       int
}

// kernelRun is a kernel with its sizes: how large in words, what is wrong with them, and how to run it.
type kernelRun struct {
	n     int
	size  string
	wrong error
	run   func(*fagus.Node, prk.Loop) (prk.Result, error)
	plain func(prk.Loop, verify.Timer) prk.Result
}

// runOf is the kernel of some Config; with makes that for a Loop.
func runOf[Config any](n int, size string, wrong error, with func(prk.Loop) Config,
	run func(*fagus.Node, Config) (prk.Result, error), plain func(Config, verify.Timer) prk.Result) kernelRun {
	return kernelRun{n, size, wrong,
		func(n *fagus.Node, l prk.Loop) (prk.Result, error) { return run(n, with(l)) },
		func(l prk.Loop, timed verify.Timer) prk.Result { return plain(with(l), timed) }}
}

const (
	megabytes = "MB/s"
	megaflops = "Mflop/s"
)

func kernels() []kernel {
	return []kernel{
		{"dgemm", "PRK DGEMM: C += A x B; B moves once", megaflops, "relative error/n^3(n-1)^2(iterations+1)/4", "--n 2048 --iterations 3",
			[]size{{"n", "rows and columns", 256}}, dgemmRun},
		{"stencil", "PRK Stencil: a star on every point of a grid; neighbours' rows move", megaflops, "error/2(iterations+1)", "--n 4000 --iterations 20",
			[]size{{"n", "rows and columns of the grid", 1000}, {"radius", "reach of the star", 2}}, stencilRun},
		{"transpose", "PRK Transpose: B += A^T; everybody needs a block of everybody's", megabytes, "sum of differences", "--n 2048 --iterations 20",
			[]size{{"n", "rows and columns", 1000}}, transposeRun},
		{"nstream", "PRK Nstream: A += B + s C at the speed of memory; nothing moves", megabytes, "relative error/8(iterations+1)", "--length 20000000",
			[]size{{"length", "elements of each vector", 2000000}}, nstreamRun},
		{"p2p", "PRK Synch_p2p: a pipeline of ranks, where phases hurt", megaflops, "relative error/(iterations+1)(m+n-2)", "--columns 4000 --rows 4000 --batch 64 --mode threaded",
			[]size{{"columns", "columns of the grid", 1000}, {"rows", "rows of the grid", 1000}, {"batch", "rows that a rank hands to the next at once", 16}}, p2pRun},
	}
}

func dgemmRun(s map[string]int, l prk.Loop) kernelRun {
	with := func(l prk.Loop) dgemm.Config { return dgemm.Config{N: s["n"], Loop: l} }
	cfg := with(l)
	return runOf(cfg.N, fmt.Sprintf("%d x %d", cfg.N, cfg.N), cfg.Validate(), with, dgemm.Run, dgemm.Plain)
}

func stencilRun(s map[string]int, l prk.Loop) kernelRun {
	with := func(l prk.Loop) stencil.Config { return stencil.Config{N: s["n"], Radius: s["radius"], Loop: l} }
	cfg := with(l)
	return runOf(cfg.N, fmt.Sprintf("%d x %d, radius %d", cfg.N, cfg.N, cfg.Radius), cfg.Validate(), with, stencil.Run, stencil.Plain)
}

func transposeRun(s map[string]int, l prk.Loop) kernelRun {
	with := func(l prk.Loop) transpose.Config { return transpose.Config{N: s["n"], Loop: l} }
	cfg := with(l)
	return runOf(cfg.N, fmt.Sprintf("%d x %d", cfg.N, cfg.N), cfg.Validate(), with, transpose.Run, transpose.Plain)
}

func nstreamRun(s map[string]int, l prk.Loop) kernelRun {
	with := func(l prk.Loop) nstream.Config { return nstream.Config{Length: s["length"], Loop: l} }
	cfg := with(l)
	return runOf(cfg.Length, fmt.Sprintf("3 vectors of %d elements", cfg.Length), cfg.Validate(), with, nstream.Run, nstream.Plain)
}

func p2pRun(s map[string]int, l prk.Loop) kernelRun {
	with := func(l prk.Loop) p2p.Config {
		return p2p.Config{Columns: s["columns"], Rows: s["rows"], Batch: s["batch"], Loop: l}
	}
	cfg := with(l)
	return runOf(cfg.Columns, fmt.Sprintf("%d columns, %d rows, %d at once", cfg.Columns, cfg.Rows, cfg.Batch), cfg.Validate(), with, p2p.Run, p2p.Plain)
}

func kernelCommands(usage cli.OnUsageErrorFunc) (commands []*cli.Command) {
	for _, k := range kernels() {
		commands = append(commands, k.command(usage))
	}
	return commands
}

func (k kernel) command(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the problem"
	flags := []cli.Flag{
		&cli.IntFlag{Name: "iterations", Category: input, Value: 10, Usage: "timed iterations, after one that is not"},
		spoilFlag(input),
	}
	for _, s := range k.sizes {
		flags = append(flags, &cli.IntFlag{Name: s.name, Category: input, Value: s.value, Usage: s.usage})
	}
	return programCommand(usage, &cli.Command{
		Name:  k.name,
		Usage: k.what,
		UsageText: fmt.Sprintf("fagus run %s [flags]\n\n"+
			"fagus run %[1]s                            2 simulated nodes\n"+
			"fagus run %[1]s %s --net shm", k.name, k.example),
		Flags: flags,
	}, func(c *cli.Context) (*job, error) {
		sizes := make(map[string]int)
		for _, s := range k.sizes {
			sizes[s.name] = c.Int(s.name)
		}
		loop := prk.Loop{Iterations: c.Int("iterations"), Spoil: c.Bool("spoil")}
		run := k.of(sizes, loop)
		if run.wrong != nil {
			return nil, &usageError{run.wrong}
		}
		return k.job(run, loop), nil
	})
}

func (k kernel) job(r kernelRun, loop prk.Loop) *job {
	return &job{
		app: k.name, n: r.n, size: fmt.Sprintf("%s, %d iterations", r.size, loop.Iterations), measured: "timed iterations, of the slowest rank",
		unit: "iterations", units: loop.Total(),
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			loop := loop
			loop.Progress = progress
			result, err := r.run(n, loop)
			if n.Rank() != 0 || err != nil {
				return outcome{took: result.Time}, err
			}
			return k.outcome(result, loop.Iterations), nil
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			loop := loop
			loop.Progress = progress
			return k.outcome(r.plain(loop, timed), loop.Iterations)
		},
	}
}

func (k kernel) outcome(r prk.Result, iterations int) outcome {
	return outcome{
		took: r.Time, bits: math.Float64bits(r.Got), check: check{Name: k.check, Value: min(r.Error, math.MaxFloat64), Limit: prk.Epsilon},
		words: fmt.Sprintf("result %.15g, want %.15g\n%.2f %s, %v an iteration", r.Got, r.Want, r.Rate(), k.rate, r.Time/fagus.Time(iterations)),
	}
}
