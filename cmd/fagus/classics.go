package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/radix"
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
	return &job{
		app: "radix", n: cfg.Keys, size: fmt.Sprintf("%d keys of 32 bits", cfg.Keys),
		measured: "passes, of the slowest rank", unit: "passes", units: radix.Passes * nodes,
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := radix.Run(n, cfg)
			return outcome{check: check{Name: "wrong-keys/order-and-multiset", Value: float64(r.Wrong)}, took: r.Time}, err
		},
	}
}
