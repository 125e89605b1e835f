package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/barnes"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/apps/water"
	"github.com/fagus-dsm/fagus/fagus"
)

// dsmCommands are the programs by which distributed shared memories are measured, and which are hard on this one.
func dsmCommands(usage cli.OnUsageErrorFunc) []*cli.Command {
	return []*cli.Command{waterCommand(usage), barnesCommand(usage)}
}

func waterCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the droplet"
	return programCommand(usage, &cli.Command{
		Name:  "water",
		Usage: "forces between all pairs of water molecules",
		UsageText: "fagus run water [flags]\n\n" +
			"fagus run water                                      216 molecules on 2 simulated nodes\n" +
			"fagus run water --bind molecule                      what a variable a molecule costs\n" +
			"fagus run water --molecules 1728 --steps 10 --net shm",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "molecules", Category: input, Value: 216, Usage: "number of `MOLECULES`"},
			&cli.IntFlag{Name: "steps", Category: input, Value: 5, Usage: "`STEPS` of half a femtosecond"},
			&cli.StringFlag{Name: "bind", Category: input, Value: water.Block.String(), Usage: "forces that have a variable: those of a block, one a rank, or of a molecule; lock: the same, acquired one after another, as SPLASH locks them"},
			spoilFlag(input),
		},
	}, func(c *cli.Context) (*job, error) {
		bind, err := water.ParseBinding(c.String("bind"))
		if err != nil {
			return nil, &usageError{err}
		}
		cfg := water.Config{Molecules: c.Int("molecules"), Steps: c.Int("steps"), Bind: bind, Seed: c.Uint64("seed"), Spoil: c.Bool("spoil")}
		if err := cfg.Validate(); err != nil {
			return nil, &usageError{err}
		}
		return waterJob(cfg), nil
	})
}

func waterJob(cfg water.Config) *job {
	const name = "error/tolerance of momentum and energies"
	return &job{
		app: "water", n: cfg.Molecules, size: fmt.Sprintf("%d molecules, %d steps, forces bound by %v", cfg.Molecules, cfg.Steps, cfg.Bind),
		measured: "steps, of the slowest rank", unit: "steps", units: cfg.Steps,
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := water.Run(n, cfg)
			return checkedOutcome(n, name, r, err)
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			cfg := cfg
			cfg.Progress = progress
			return outcomeOf(name, water.Plain(cfg, timed))
		},
	}
}

func barnesCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the cluster"
	return programCommand(usage, &cli.Command{
		Name:  "barnes",
		Usage: "stars that attract each other, by Barnes and Hut's tree",
		UsageText: "fagus run barnes [flags]\n\n" +
			"fagus run barnes                                     4096 stars on 2 simulated nodes\n" +
			"fagus run barnes --theta 0                           by direct sums\n" +
			"fagus run barnes --bodies 65536 --steps 4 --net shm",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "bodies", Category: input, Value: 4096, Usage: "number of `BODIES`"},
			&cli.IntFlag{Name: "steps", Category: input, Value: 4, Usage: "`STEPS` of 1/40 each, where the cluster's mass and size are 1"},
			&cli.Float64Flag{Name: "theta", Category: input, Value: 0.5, Usage: "cells that are less wide than `THETA` times their distance count as one body"},
			spoilFlag(input),
		},
	}, func(c *cli.Context) (*job, error) {
		cfg := barnes.Config{Bodies: c.Int("bodies"), Steps: c.Int("steps"), Theta: c.Float64("theta"), Seed: c.Uint64("seed"), Spoil: c.Bool("spoil")}
		if err := cfg.Validate(); err != nil {
			return nil, &usageError{err}
		}
		return barnesJob(cfg), nil
	})
}

func barnesJob(cfg barnes.Config) *job {
	const name = "error/tolerance of accelerations and energies"
	return &job{
		app: "barnes", n: cfg.Bodies, size: fmt.Sprintf("%d bodies, %d steps, theta %g", cfg.Bodies, cfg.Steps, cfg.Theta),
		measured: "steps, of the slowest rank", unit: "steps", units: cfg.Steps,
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := barnes.Run(n, cfg)
			return checkedOutcome(n, name, r, err)
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			cfg := cfg
			cfg.Progress = progress
			return outcomeOf(name, barnes.Plain(cfg, timed))
		},
	}
}
