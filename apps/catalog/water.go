package catalog

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/water"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func waterProgram() Program {
	return Program{Name: "water", About: "forces between all pairs of water molecules, which ranks add in turn",
		VerifiedBy: "momentum exactly, energy, and all pairs by one rank alone",
		Examples: `
fagus run water                                     216 molecules on 2 simulated nodes
fagus run water --bind molecule                     the cost of a variable per molecule
fagus run water --molecules 1728 --steps 10 --net shm`,
		Flags: under("the droplet",
			&cli.IntFlag{Name: "molecules", Value: 216, Usage: "number of `MOLECULES`"},
			&cli.IntFlag{Name: "steps", Value: 5, Usage: "`STEPS` of half a femtosecond"},
			&cli.StringFlag{Name: "bind", Value: water.Block.String(),
				Usage: "forces that share a variable: those of a block, one per rank; or of a molecule; lock: of a molecule, acquired one after another as SPLASH locks them"},
			spoilFlag(),
		),
		Prepare: prepareWater,
	}
}

func prepareWater(f Flags) (*Job, error) {
	bind, err := water.ParseBinding(f.String("bind"))
	if err != nil {
		return nil, usage.Wrap(err)
	}
	cfg := water.Config{Molecules: f.Int("molecules"), Steps: f.Int("steps"), Bind: bind, Seed: f.Seed, Options: f.options()}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	return jobOf(code[water.Config, verify.Result]{
		config: cfg, progress: func(c *water.Config) *func(int) { return &c.Progress }, run: water.Run, plain: infallible(water.Plain),
		outcome: verified("error/tolerance of momentum and energies"),
	}, &Job{
		App: "water", N: cfg.Molecules, Size: fmt.Sprintf("%d molecules, %d steps, forces bound by %v", cfg.Molecules, cfg.Steps, cfg.Bind),
		Measured: "steps, of the slowest rank", Unit: "steps", Units: cfg.Steps,
	}), nil
}
