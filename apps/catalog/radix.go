package catalog

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/radix"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func radixProgram() Program {
	return Program{Name: "radix", About: "radix sort, with a variable for each pair of ranks", VerifiedBy: "order, number, sum and hash of the keys",
		Examples: `
fagus run radix                                     2^16 keys drawn from seed 0, 2 simulated nodes
fagus run radix --keys 8388608 --net shm            two processes of this host
fagus run radix --nodes 4 --mode threaded --json`,
		Flags:   under("the keys", &cli.IntFlag{Name: "keys", Value: 1 << 16, Usage: "number of `KEYS` of 32 bits"}, spoilFlag()),
		Prepare: prepareRadix,
	}
}

func prepareRadix(f Flags) (*Job, error) {
	cfg := radix.Config{Keys: f.Int("keys"), Seed: f.Seed, Options: f.options()}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	return jobOf(code[radix.Config, radix.Result]{
		config: cfg, progress: func(c *radix.Config) *func(int) { return &c.Progress }, run: radix.Run, plain: infallible(radix.Plain),
		outcome: func(r radix.Result) Outcome {
			return Outcome{Verification: Verification{Name: "wrong-keys/order-and-multiset", Value: float64(r.Wrong)}, Took: r.Time}
		},
	}, &Job{
		App: "radix", N: cfg.Keys, Memory: func(n int) int { return capacity.Product(2*4, n) }, Size: fmt.Sprintf("%d keys of 32 bits", cfg.Keys),
		Measured: "passes, of the slowest rank", Unit: "passes", Units: radix.Passes * f.Nodes,
	}), nil
}
