package main

import (
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/lu"
	"github.com/fagus-dsm/fagus/apps/radix"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// spoilFlag is for those who want to see that what is wrong is found.
func spoilFlag(category string) cli.Flag {
	return &cli.BoolFlag{Name: "spoil", Category: category, Usage: "make one number wrong, to see that it is found"}
}

func radixCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the keys"
	return programCommand(usage, &cli.Command{
		Name:  "radix",
		Usage: "radix sort, with a variable for each pair of ranks",
		UsageText: "fagus run radix [flags]\n\n" +
			"fagus run radix                                      2^16 keys drawn from seed 0, 2 simulated nodes\n" +
			"fagus run radix --keys 8388608 --net shm             two processes of this host\n" +
			"fagus run radix --nodes 4 --mode threaded --json",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "keys", Category: input, Value: 1 << 16, Usage: "number of `KEYS` of 32 bits"},
			spoilFlag(input),
		},
	}, func(c *cli.Context) (*job, error) {
		cfg := radix.Config{Keys: c.Int("keys"), Seed: c.Uint64("seed"), Spoil: c.Bool("spoil")}
		if err := cfg.Validate(); err != nil {
			return nil, &usageError{err}
		}
		return radixJob(cfg, c.Int("nodes")), nil
	})
}

func radixJob(cfg radix.Config, nodes int) *job {
	sorted := func(r radix.Result) outcome {
		return outcome{check: check{Name: "wrong-keys/order-and-multiset", Value: float64(r.Wrong)}, took: r.Time}
	}
	return &job{
		app: "radix", n: cfg.Keys, size: fmt.Sprintf("%d keys of 32 bits", cfg.Keys),
		measured: "passes, of the slowest rank", unit: "passes", units: radix.Passes * nodes,
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := radix.Run(n, cfg)
			return sorted(r), err
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			cfg := cfg
			cfg.Progress = progress
			return sorted(radix.Plain(cfg, timed))
		},
	}
}

func luCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the matrix"
	return programCommand(usage, &cli.Command{
		Name:  "lu",
		Usage: "blocked LU factorisation with partial pivoting",
		UsageText: "fagus run lu [flags]\n\n" +
			"fagus run lu                                         a matrix drawn from seed 0, 2 simulated nodes\n" +
			"fagus run lu --n 2048 --block 64 --net shm           two processes of this host\n" +
			"fagus run lu --nodes 4 --mode threaded --json",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Category: input, Value: 512, Usage: "`ROWS` and columns"},
			&cli.IntFlag{Name: "block", Category: input, Value: 32, Usage: "`COLUMNS` of a panel"},
			spoilFlag(input),
		},
	}, func(c *cli.Context) (*job, error) {
		cfg := lu.Config{N: c.Int("n"), Block: c.Int("block"), Seed: c.Uint64("seed"), Spoil: c.Bool("spoil")}
		if err := cfg.Validate(); err != nil {
			return nil, &usageError{err}
		}
		return luJob(cfg, c.Int("nodes")), nil
	})
}

func luJob(cfg lu.Config, nodes int) *job {
	factored := func(r lu.Result) outcome {
		seconds := float64(r.Time) / float64(fagus.Second)
		return outcome{
			took: r.Time, bits: r.Bits, check: check{Name: "backward-error/(n eps max|A|)", Value: min(r.Error, math.MaxFloat64), Limit: lu.Limit},
			words: fmt.Sprintf("factors %016x; %.2f Gflop/s", r.Bits, cfg.Operations()/1e9/max(seconds, math.SmallestNonzeroFloat64)),
		}
	}
	return &job{
		app: "lu", n: cfg.N, size: fmt.Sprintf("%d x %d, %d panels of %d columns", cfg.N, cfg.N, cfg.Steps(), cfg.Block),
		measured: "factoring, of the slowest rank", unit: "steps", units: cfg.Steps() * nodes,
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := lu.Run(n, cfg)
			if n.Rank() != 0 || err != nil {
				return outcome{took: r.Time}, err
			}
			return factored(r), nil
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			cfg := cfg
			cfg.Progress = progress
			r, err := lu.Plain(cfg, timed)
			if err != nil {
				return outcome{err: err}
			}
			return factored(r)
		},
	}
}
