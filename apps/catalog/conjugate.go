package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/conjugate"
	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func conjugateProgram() Program {
	return Program{Name: "conjugate", About: "A x = b by conjugate gradients, for a sparse matrix from a file or of Poisson's equation",
		VerifiedBy: "the true residual, and a known solution",
		Examples: `
fagus run conjugate                                 Poisson's equation on 2 simulated nodes
fagus run conjugate --grid 300 --tolerance 1e-8 --net shm
fagus run conjugate --in system.mtx --rhs rhs.mtx --out x.mtx  files of Matrix Market: see fagus data`,
		Flags: under("the system",
			&cli.IntFlag{Name: "grid", Value: 50, Usage: "Poisson's equation on `N` x N points"},
			&cli.StringFlag{Name: "in", Usage: "read A from `FILE` (.mtx): symmetric and positive definite"},
			&cli.StringFlag{Name: "rhs", Usage: "read b from `FILE` (.mtx or .npy), one column; without it x is a vector of ones"},
			&cli.Float64Flag{Name: "tolerance", Value: 1e-10, Usage: "stop when |b - A x| / |b| is at most `X`"},
			&cli.IntFlag{Name: "iterations", Value: 100000, Usage: "fail after `N` iterations"},
			outFlag("x", ".mtx or .npy"),
			spoilFlag(),
		),
		CheckOut: matrix.CheckName,
		Prepare:  prepareConjugate,
	}
}

func prepareConjugate(f Flags) (*Job, error) {
	cfg := conjugate.Config{Grid: f.Int("grid"), Tolerance: f.Float64("tolerance"), Iterations: f.Int("iterations"), Options: f.options()}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	path, rhs, out := f.String("in"), f.String("rhs"), f.String("out")
	switch {
	case path == "" && rhs != "":
		return nil, usage.Errorf("--rhs is of a matrix in a file: use it with --in")
	case path == "":
		return conjugateJob(cfg, cfg.Grid*cfg.Grid, fmt.Sprintf("Poisson's equation on %d x %[1]d points", cfg.Grid), out), nil
	case f.IsSet("grid"):
		return nil, usage.Errorf("--grid is of Poisson's equation: use it without --in")
	}
	j := &Job{Inputs: []string{path}}
	if rhs != "" {
		j.Inputs = append(j.Inputs, rhs)
	}
	j.Open = func(ctx context.Context) error {
		if err := readSystem(ctx, &cfg, path, rhs); err != nil {
			return err
		}
		a := cfg.Matrix
		*j = *conjugateJob(cfg, a.Rows, fmt.Sprintf("a matrix of %d x %d with %d elements", a.Rows, a.Cols, len(a.Values)), out)
		return nil
	}
	return j, nil
}

func readSystem(ctx context.Context, cfg *conjugate.Config, path, rhs string) (err error) {
	if cfg.Matrix, err = readInput(ctx, path, matrix.ReadSparse); err != nil {
		return err
	}
	if rhs != "" {
		b, err := readMatrix(ctx, rhs)
		if err != nil {
			return err
		}
		if b.Cols != 1 {
			return usage.Errorf("%s: a matrix of %d x %d: want one column", rhs, b.Rows, b.Cols)
		}
		cfg.B = b.Data
	}
	return usage.Wrap(cfg.Validate())
}

// conjugateJob returns the job for a system with the given number of rows. The job writes the
// solution to the file out, unless out is empty.
func conjugateJob(cfg conjugate.Config, rows int, size, out string) *Job {
	var solution matrix.Dense
	result := func(r conjugate.Result, err error) (verify.Result, error) {
		var wrong *conjugate.IndefiniteError
		if errors.As(err, &wrong) { // the user's matrix is not symmetric and positive definite
			return r.Result, usage.Wrap(wrong)
		}
		return r.Result, err
	}
	keep := func(x []float64) { solution = matrix.Dense{Rows: len(x), Cols: 1, Data: x} }
	j := jobOf(code[conjugate.Config, verify.Result]{
		config: cfg, progress: func(c *conjugate.Config) *func(int) { return &c.Progress },
		run: func(n *fagus.Node, cfg conjugate.Config) (verify.Result, error) {
			r, err := conjugate.Run(n, cfg)
			if err == nil && n.Rank() == 0 {
				keep(r.X)
			}
			return result(r, err)
		},
		plain: func(cfg conjugate.Config, timed verify.Timer) (verify.Result, error) {
			r, err := conjugate.Plain(cfg, timed)
			keep(r.X)
			return result(r, err)
		},
		outcome: verified("error/tolerance of the residual and the known solution"),
	}, &Job{App: "conjugate", N: rows, Size: size, Measured: "iterations, of the slowest rank", Unit: "iterations"})
	if out != "" {
		j.Write = func() error { return matrix.Write(out, solution) }
	}
	return j
}
