package catalog

import (
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/tsp"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func tspProgram() Program {
	return Program{Name: "tsp", About: "a shortest round trip by branch and bound, over a shared stack and bound",
		VerifiedBy: "Held and Karp's dynamic programming, TSPLIB",
		Examples: `
fagus run tsp                                       12 cities drawn from seed 0, 2 simulated nodes
fagus run tsp --cities 16 --mode threaded --notices --nodes 4
fagus run tsp --instance burma14                    of TSPLIB: 3323 km`,
		Flags: under("the cities",
			&cli.IntFlag{Name: "cities", Value: 12, Usage: fmt.Sprintf("number of `CITIES`, up to %d", tsp.MaxCities)},
			&cli.StringFlag{Name: "instance", Usage: "an instance of TSPLIB instead of random cities: " + tsp.Burma14},
			&cli.IntFlag{Name: "depth", Value: 3, Usage: "one rank searches all tours that begin with the same `CITIES`, 1 to 4"},
		),
		Prepare: prepareTSP,
	}
}

func prepareTSP(f Flags) (*Job, error) {
	cfg := tsp.Config{Cities: f.Int("cities"), Seed: f.Seed, Instance: f.String("instance"), Depth: f.Int("depth")}
	if cfg.Instance != "" && f.IsSet("cities") {
		return nil, usage.Errorf("--instance has cities of its own: use it without --cities")
	}
	if cfg.Depth == 0 { // Run would take 0 for the default, 3
		return nil, usage.Errorf("tsp: depth 0: want 1 to 4")
	}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	what := fmt.Sprintf("%d random cities", cfg.Cities)
	if cfg.Instance != "" {
		what = cfg.Instance
	}
	return jobOf(code[tsp.Config, tsp.Result]{
		config: cfg, run: tsp.Run, plain: tsp.Plain,
		outcome: func(r tsp.Result) Outcome {
			return Outcome{
				Took: r.Time, Verification: Verification{Name: "excess/held-karp", Value: math.Abs(float64(r.Length - r.Optimum))},
				Text: fmt.Sprintf("shortest tour: %d, by way of %s", r.Length, strings.Trim(fmt.Sprint(r.Tour), "[]")),
			}
		},
	}, &Job{
		App: "tsp", N: cfg.Size(), Measured: "search, of the slowest rank",
		Size: fmt.Sprintf("%s, tours of %d cities searched by one rank", what, cfg.Depth),
	}), nil
}
