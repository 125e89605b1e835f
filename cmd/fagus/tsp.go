package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/tsp"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func tspCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the cities"
	return programCommand(usage, &cli.Command{
		Name:  "tsp",
		Usage: "a shortest round trip by branch and bound, over a shared stack and bound",
		UsageText: "fagus run tsp [flags]\n\n" +
			"fagus run tsp                                        12 cities drawn from seed 0, 2 simulated nodes\n" +
			"fagus run tsp --cities 16 --mode threaded --notices --nodes 4\n" +
			"fagus run tsp --instance burma14                     of TSPLIB: 3323 km",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "cities", Category: input, Value: 12, Usage: fmt.Sprintf("number of `CITIES`, up to %d", tsp.MaxCities)},
			&cli.StringFlag{Name: "instance", Category: input, Usage: "an instance of TSPLIB in place of random cities: " + tsp.Burma14},
			&cli.IntFlag{Name: "depth", Category: input, Value: 3, Usage: "a tour of so many `CITIES`, 1 to 4, is searched by one rank"},
		},
	}, func(c *cli.Context) (*job, error) {
		cfg := tsp.Config{Cities: c.Int("cities"), Seed: c.Uint64("seed"), Instance: c.String("instance"), Depth: c.Int("depth")}
		if cfg.Instance != "" && c.IsSet("cities") {
			return nil, usagef("--instance has cities of its own: use it without --cities")
		}
		if cfg.Depth == 0 { // would stand for 3
			return nil, usagef("tsp: depth 0: want 1 to 4")
		}
		if err := cfg.Validate(); err != nil {
			return nil, &usageError{err}
		}
		return tspJob(cfg), nil
	})
}

func tspJob(cfg tsp.Config) *job {
	what := fmt.Sprintf("%d random cities", cfg.Cities)
	if cfg.Instance != "" {
		what = cfg.Instance
	}
	searched := func(r tsp.Result) outcome {
		return outcome{
			took: r.Time, check: check{Name: "excess/held-karp", Value: math.Abs(float64(r.Length - r.Optimum))},
			words: fmt.Sprintf("shortest tour: %d, by way of %s", r.Length, strings.Trim(fmt.Sprint(r.Tour), "[]")),
		}
	}
	return &job{
		app: "tsp", n: cfg.Size(), measured: "search, of the slowest rank",
		size: fmt.Sprintf("%s, tours of %d cities searched by one rank", what, cfg.Depth),
		run: func(n *fagus.Node, _ func(int)) (outcome, error) {
			r, err := tsp.Run(n, cfg)
			if n.Rank() != 0 || err != nil {
				return outcome{took: r.Time}, err
			}
			return searched(r), nil
		},
		plain: func(timed verify.Timer, _ func(int)) outcome {
			r, err := tsp.Plain(cfg, timed)
			if err != nil {
				return outcome{err: err}
			}
			return searched(r)
		},
	}
}
