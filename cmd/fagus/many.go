package main

import (
	"fmt"
	"math"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/many"
	"github.com/fagus-dsm/fagus/fagus"
)

func manyCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the rounds"
	return programCommand(usage, &cli.Command{
		Name:  "many",
		Usage: "many small sync variables, which go from rank to rank in rounds",
		UsageText: "fagus run many [flags]\n\n" +
			"fagus run many                                       64 variables of 64 bytes a rank, 2 simulated nodes\n" +
			"fagus run many --mode threaded --notices             a request and a release a variable\n" +
			"fagus run many --variables 1000 --bytes 8 --work 1ms\n" +
			"fagus run many --independent --skew 1 --work 1ms     nobody wants what another has",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "variables", Category: input, Value: 64, Usage: "sync `VARIABLES` that a rank acquires at once"},
			&cli.IntFlag{Name: "bytes", Category: input, Value: 64, Usage: "`BYTES` that a variable guards, a multiple of 8"},
			&cli.IntFlag{Name: "rounds", Category: input, Value: 20, Usage: "acquire, compute and release so many `TIMES`"},
			workFlag(input, 100*time.Microsecond),
			&cli.Float64Flag{Name: "skew", Category: input, Usage: "the last rank computes 1 + `SKEW` times as long as rank 0"},
			&cli.BoolFlag{Name: "independent", Category: input, Usage: "every rank keeps its variables; who computes longer does fewer rounds"},
		},
	}, func(c *cli.Context) (*job, error) {
		cfg := manyConfig(c)
		cfg.Variables, cfg.Bytes = c.Int("variables"), c.Int("bytes")
		if err := cfg.Validate(); err != nil {
			return nil, &usageError{err}
		}
		return manyJob(cfg, c.Int("nodes")), nil
	})
}

// workFlag is about computation, which takes as long as it says in virtual time.
func workFlag(category string, value time.Duration) cli.Flag {
	return &cli.DurationFlag{Name: "work", Category: category, Value: value, Usage: "computation of rank 0 in a round: on the simulated machine it takes `TIME`, on a real one what it takes"}
}

// virtual is a time of a flag, or the nearest that there is.
func virtual(d time.Duration) fagus.Time {
	const most = math.MaxInt64 / int64(fagus.Nanosecond)
	return fagus.Time(max(-most, min(d.Nanoseconds(), most))) * fagus.Nanosecond
}

// manyConfig reads the flags that fagus run and fagus sweep have in common.
func manyConfig(c *cli.Context) many.Config {
	return many.Config{
		Rounds: c.Int("rounds"), Work: virtual(c.Duration("work")), Skew: c.Float64("skew"), Independent: c.Bool("independent"),
	}
}

func manyJob(cfg many.Config, nodes int) *job {
	order := "each goes to another rank in every round"
	if cfg.Independent {
		order = "wanted by one rank alone"
	}
	j := &job{
		app: "many", n: cfg.Variables, measured: "rounds, of the slowest rank", unit: "rounds",
		size: fmt.Sprintf("%d variables of %d bytes a rank, %s; %d rounds with %v of computing, skew %v",
			cfg.Variables, cfg.Bytes, order, cfg.Rounds, cfg.Work, cfg.Skew),
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := many.Run(n, cfg)
			return outcome{check: check{Name: "wrong-elements/closed-form", Value: float64(r.Wrong)}, took: r.Time}, err
		},
	}
	for rank := range nodes {
		j.units += cfg.RoundsOf(rank, nodes)
	}
	return j
}
