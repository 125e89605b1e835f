package catalog

import (
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/sor"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func sorProgram() Program {
	return Program{Name: "sor", About: "a harmonic function by red-black successive over-relaxation; neighbours' rows move",
		VerifiedBy: "a harmonic polynomial",
		Examples: `
fagus run sor                                       2 simulated nodes
fagus run sor --n 400 --net shm                     two processes of this host`,
		Flags: under("the problem",
			&cli.IntFlag{Name: "n", Value: 200, Usage: "rows and columns of the grid, the border included"},
			&cli.IntFlag{Name: "iterations", Usage: "iterations over all points; 0 stands for 5 times --n, which is enough"},
			spoilFlag(),
		),
		Prepare: prepareSOR,
	}
}

func prepareSOR(f Flags) (*Job, error) {
	cfg := sor.Config{N: f.Int("n"), Iterations: f.Int("iterations"), Options: f.options()}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	return jobOf(code[sor.Config, sor.Result]{
		config: cfg, progress: func(c *sor.Config) *func(int) { return &c.Progress }, run: sor.Run, plain: infallible(sor.Plain),
		outcome: func(r sor.Result) Outcome {
			return Outcome{
				Verification: Verification{Name: "error/x^2-y^2", Value: finite(r.Error), Limit: sor.Tolerance},
				Bits:         math.Float64bits(r.Error), Took: r.Time,
			}
		},
	}, &Job{
		App: "sor", N: cfg.N, Memory: matrices(1), Size: fmt.Sprintf("%d x %d, %d iterations", cfg.N, cfg.N, cfg.Total()),
		Measured: "iterations, of the slowest rank", Unit: "iterations", Units: cfg.Total(),
	}), nil
}
