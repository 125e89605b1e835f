package catalog

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/random"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// mostLines is how many contradictions a report shows.
const mostLines = 10

func randomProgram() Program {
	return Program{Name: "random", About: "a random program, whose every content is compared with a model of bytes", VerifiedBy: "the writes, replayed",
		Examples: `
fagus run random --seed 7                                 on 2 simulated nodes
fagus run random --seed 7 --net udp100 --loss 0.05        the same program over lossy datagrams
fagus run random --seed 7 --net tcp --nodes 5             and between processes
fagus run random --seed 7 --cycle 3 --rounds 90 --lists tree  its first 3 rounds again and again, for phases that repeat
fagus run random --seed 7 --net shm --mode threaded --verify-history`,
		Flags: under("the program",
			&cli.IntFlag{Name: "rounds", Value: 20, Usage: "`N` rounds of up to three tenures a rank, and a collective call"},
			&cli.IntFlag{Name: "cycle", Usage: "do the first `N` rounds again and again, with other bytes; as the seed says, each rank deviates in none, or in one of 1000, 200 or 50 rounds"},
		),
		Prepare: func(f Flags) (*Job, error) { return randomJob(f) },
	}
}

func randomJob(f Flags) (*Job, error) {
	cfg := random.Config{Seed: f.Seed, Rounds: f.Int("rounds"), Cycle: f.Int("cycle"), Clock: &random.Clock{}}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	size := fmt.Sprintf("the program of seed %d in %d rounds", cfg.Seed, cfg.Rounds)
	if cfg.Cycle > 0 {
		size += fmt.Sprintf(", cycles of %d", cfg.Cycle)
	}
	j := &Job{
		App: "random", N: cfg.Rounds, Measured: "rounds, of the slowest rank", Unit: "rounds", Units: f.Nodes * cfg.Rounds,
		Size: size,
	}
	return jobOf(code[random.Config, random.Result]{
		config: cfg, progress: func(c *random.Config) *func(int) { return &c.Progress }, run: random.Run,
		outcome: func(r random.Result) Outcome {
			lines := r.Wrong[:min(len(r.Wrong), mostLines)]
			if len(lines) == 0 {
				lines = []string{fmt.Sprintf("%d contents compared with the model", r.Checked)}
			}
			return Outcome{
				Verification: Verification{Name: "wrong-contents/model", Value: float64(len(r.Wrong))},
				Text:         strings.Join(lines, "\n"), Took: r.Time,
			}
		},
	}, j), nil
}
