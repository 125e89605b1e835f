package catalog

import (
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/lu"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func luProgram() Program {
	return Program{Name: "lu", About: "blocked LU factorisation with partial pivoting, panels cyclic",
		VerifiedBy: "the backward error, with the matrix generated again",
		Examples: `
fagus run lu                                        a matrix drawn from seed 0, 2 simulated nodes
fagus run lu --n 2048 --block 64 --net shm          two processes of this host
fagus run lu --nodes 4 --mode threaded --json`,
		Flags: under("the matrix",
			&cli.IntFlag{Name: "n", Value: 512, Usage: "`ROWS` and columns"},
			&cli.IntFlag{Name: "block", Value: 32, Usage: "`COLUMNS` of a panel"},
			spoilFlag(),
		),
		Prepare: prepareLU,
	}
}

func prepareLU(f Flags) (*Job, error) {
	cfg := lu.Config{N: f.Int("n"), Block: f.Int("block"), Seed: f.Seed, Options: f.options()}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	return jobOf(code[lu.Config, lu.Result]{
		config: cfg, progress: func(c *lu.Config) *func(int) { return &c.Progress }, run: lu.Run, plain: lu.Plain,
		outcome: func(r lu.Result) Outcome {
			seconds := max(float64(r.Time)/float64(fagus.Second), math.SmallestNonzeroFloat64)
			return Outcome{
				Took: r.Time, Bits: r.Bits, Verification: Verification{Name: "backward-error/(n eps max|A|)", Value: finite(r.Error), Limit: lu.Limit},
				Text: fmt.Sprintf("factors %016x; %.2f Gflop/s", r.Bits, r.Operations/1e9/seconds),
			}
		},
	}, &Job{
		App: "lu", N: cfg.N, Memory: matrices(1), Size: fmt.Sprintf("%d x %d, %d panels of %d columns", cfg.N, cfg.N, cfg.Steps(), cfg.Block),
		Measured: "factoring, of the slowest rank", Unit: "steps", Units: cfg.Steps() * f.Nodes,
	}), nil
}
