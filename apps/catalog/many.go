package catalog

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/many"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func manyProgram() Program {
	return Program{Name: "many", About: "many small sync variables, which go from rank to rank in rounds", VerifiedBy: "closed form",
		Examples: `
fagus run many                                      64 variables of 64 bytes per rank, 2 simulated nodes
fagus run many --mode threaded --notices            a request and a release per variable
fagus run many --variables 1000 --bytes 8 --work 1ms
fagus run many --independent --skew 1 --work 1ms    no rank wants what another has`,
		Flags: append(under("the rounds",
			&cli.IntFlag{Name: "variables", Value: 64, Usage: "sync `VARIABLES` that a rank acquires at once"},
			&cli.IntFlag{Name: "bytes", Value: 64, Usage: "`BYTES` that a variable guards, a multiple of 8"},
		), ManyFlags("the rounds", 20)...),
		Prepare: func(f Flags) (*Job, error) { return Many(f, f.Int("variables"), f.Int("bytes")) },
	}
}

// ManyFlags returns the flags that Many reads. rounds is the default of --rounds.
func ManyFlags(category string, rounds int) []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "rounds", Category: category, Value: rounds, Usage: "acquire, compute and release `N` times"},
		&cli.DurationFlag{Name: "work", Category: category, Value: 100 * time.Microsecond,
			Usage: "computation of rank 0 in a round: it takes `TIME` on the simulated machine; on a real one the time varies"},
		&cli.Float64Flag{Name: "skew", Category: category, Usage: "the last rank computes 1 + `SKEW` times as long as rank 0"},
		&cli.BoolFlag{Name: "independent", Category: category, Usage: "every rank keeps its variables; a rank that computes longer does fewer rounds"},
	}
}

// Many returns the job for the program many with the given number of variables, and of bytes per
// variable. The rest of its configuration comes from the flags of ManyFlags.
func Many(f Flags, variables, bytes int) (*Job, error) {
	cfg := many.Config{
		Rounds: f.Int("rounds"), Work: VirtualTime(f.Duration("work")), Skew: f.Float64("skew"), Independent: f.Bool("independent"),
		Variables: variables, Bytes: bytes,
	}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	order := "each goes to another rank in every round"
	if cfg.Independent {
		order = "wanted by one rank alone"
	}
	j := &Job{
		App: "many", N: cfg.Variables, Memory: func(n int) int { return capacity.Product(n, cfg.Bytes, f.Nodes) }, Measured: "rounds, of the slowest rank", Unit: "rounds",
		Size: fmt.Sprintf("%d variables of %d bytes a rank, %s; %d rounds with %v of computing, skew %v",
			cfg.Variables, cfg.Bytes, order, cfg.Rounds, cfg.Work, cfg.Skew),
	}
	for rank := range f.Nodes {
		j.Units += cfg.RoundsOf(rank, f.Nodes)
	}
	return jobOf(code[many.Config, many.Result]{
		config: cfg, progress: func(c *many.Config) *func(int) { return &c.Progress }, run: many.Run,
		outcome: func(r many.Result) Outcome {
			return Outcome{Verification: Verification{Name: "wrong-elements/closed-form", Value: float64(r.Wrong)}, Took: r.Time}
		},
	}, j), nil
}
