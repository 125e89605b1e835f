package catalog

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/barnes"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func barnesProgram() Program {
	return Program{Name: "barnes", About: "stars that attract each other, by Barnes and Hut's tree",
		VerifiedBy: "direct sums, Plummer's closed forms, momentum",
		Examples: `
fagus run barnes                                    4096 stars on 2 simulated nodes
fagus run barnes --theta 0                          by direct sums
fagus run barnes --bodies 65536 --steps 4 --net shm`,
		Flags: under("the cluster",
			&cli.IntFlag{Name: "bodies", Value: 4096, Usage: "number of `BODIES`"},
			&cli.IntFlag{Name: "steps", Value: 4, Usage: "`STEPS` of 1/40 each, in units in which the cluster's mass and size are 1"},
			&cli.Float64Flag{Name: "theta", Value: 0.5, Usage: "a cell narrower than `THETA` times its distance counts as one body"},
			spoilFlag(),
		),
		Prepare: prepareBarnes,
	}
}

func prepareBarnes(f Flags) (*Job, error) {
	cfg := barnes.Config{Bodies: f.Int("bodies"), Steps: f.Int("steps"), Theta: f.Float64("theta"), Seed: f.Seed, Options: f.options()}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	return jobOf(code[barnes.Config, verify.Result]{
		config: cfg, progress: func(c *barnes.Config) *func(int) { return &c.Progress }, run: barnes.Run, plain: infallible(barnes.Plain),
		outcome: verified("error/tolerance of accelerations and energies"),
	}, &Job{
		App: "barnes", N: cfg.Bodies, Size: fmt.Sprintf("%d bodies, %d steps, theta %g", cfg.Bodies, cfg.Steps, cfg.Theta),
		Measured: "steps, of the slowest rank", Unit: "steps", Units: cfg.Steps,
	}), nil
}
