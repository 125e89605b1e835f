package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/conjugate"
	"github.com/fagus-dsm/fagus/apps/matrix"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func conjugateCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the system"
	return programCommand(usage, &cli.Command{
		Name:  "conjugate",
		Usage: "A x = b by conjugate gradients, for a sparse matrix",
		UsageText: "fagus run conjugate [flags]\n\n" +
			"fagus run conjugate                                  Poisson's equation on 2 simulated nodes\n" +
			"fagus run conjugate --grid 1000 --tolerance 1e-8 --net shm\n" +
			"fagus run conjugate --in bcsstk01.mtx --rhs b.mtx --out x.mtx",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "grid", Category: input, Value: 50, Usage: "Poisson's equation on `N` x N points"},
			&cli.StringFlag{Name: "in", Category: input, Usage: "read A from `FILE` (.mtx): symmetric and positive definite"},
			&cli.StringFlag{Name: "rhs", Category: input, Usage: "read b from `FILE` (.mtx or .npy), one column; without it x is a vector of ones"},
			&cli.Float64Flag{Name: "tolerance", Category: input, Value: 1e-10, Usage: "end when |b - A x| / |b| is no more than `X`"},
			&cli.IntFlag{Name: "iterations", Category: input, Value: 100000, Usage: "fail after `N` iterations"},
			&cli.StringFlag{Name: "out", Category: outputCategory, Usage: "write x to `FILE` (.mtx or .npy)"},
			spoilFlag(input),
		},
	}, prepareConjugate)
}

func prepareConjugate(c *cli.Context) (*job, error) {
	if err := checkWritable(c, "out", matrix.CheckName); err != nil {
		return nil, err
	}
	cfg := conjugate.Config{Grid: c.Int("grid"), Tolerance: c.Float64("tolerance"), Iterations: c.Int("iterations"), Spoil: c.Bool("spoil")}
	if err := cfg.Validate(); err != nil {
		return nil, &usageError{err}
	}
	path, rhs, out := c.String("in"), c.String("rhs"), c.String("out")
	switch {
	case path == "" && rhs != "":
		return nil, usagef("--rhs is of a matrix in a file: use it with --in")
	case path == "":
		return conjugateJob(cfg, cfg.Grid*cfg.Grid, fmt.Sprintf("Poisson's equation on %d x %[1]d points", cfg.Grid), out), nil
	case c.IsSet("grid"):
		return nil, usagef("--grid is of Poisson's equation: use it without --in")
	}
	j := &job{}
	j.open = func(ctx context.Context) error {
		if err := readSystem(ctx, &cfg, path, rhs); err != nil {
			return err
		}
		a := cfg.Matrix
		*j = *conjugateJob(cfg, a.Rows, fmt.Sprintf("a matrix of %d x %d with %d elements", a.Rows, a.Cols, len(a.Values)), out)
		return nil
	}
	return j, nil
}

// readSystem reads the matrix, and the right side unless that has no file.
func readSystem(ctx context.Context, cfg *conjugate.Config, path, rhs string) (err error) {
	if cfg.Matrix, err = readInput(ctx, path, matrix.ReadSparse); err != nil {
		return asUsage(err)
	}
	if rhs != "" {
		b, err := readMatrix(ctx, rhs)
		if err != nil {
			return err
		}
		if b.Cols != 1 {
			return usagef("%s: a matrix of %d x %d: want one column", rhs, b.Rows, b.Cols)
		}
		cfg.B = b.Data
	}
	if err := cfg.Validate(); err != nil {
		return &usageError{err}
	}
	return nil
}

// conjugateJob is a system whose solution is to be written to a file, unless that has no name.
func conjugateJob(cfg conjugate.Config, rows int, size, out string) *job {
	const name = "error/tolerance of the residual and the known solution"
	var solution matrix.Dense
	keep := func(x []float64) { solution = matrix.Dense{Rows: len(x), Cols: 1, Data: x} }
	j := &job{
		app: "conjugate", n: rows, size: size, measured: "iterations, of the slowest rank", unit: "iterations",
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := conjugate.Run(n, cfg)
			if err == nil && n.Rank() == 0 {
				keep(r.X)
			}
			return checkedOutcome(n, name, r.Result, indefinite(err))
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			cfg := cfg
			cfg.Progress = progress
			r, err := conjugate.Plain(cfg, timed)
			if err != nil {
				return outcome{err: indefinite(err)}
			}
			keep(r.X)
			return outcomeOf(name, r.Result)
		},
	}
	if out != "" {
		j.write = func() error { return matrix.Write(out, solution) }
	}
	return j
}

// indefinite says of a matrix that is not as it should be that it is a mistake in the call.
func indefinite(err error) error {
	var wrong *conjugate.IndefiniteError
	if errors.As(err, &wrong) {
		return &usageError{wrong}
	}
	return err
}
