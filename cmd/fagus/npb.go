package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/cg"
	"github.com/fagus-dsm/fagus/apps/ep"
	"github.com/fagus-dsm/fagus/apps/ft"
	"github.com/fagus-dsm/fagus/apps/is"
	"github.com/fagus-dsm/fagus/apps/mg"
	"github.com/fagus-dsm/fagus/apps/npb"
	"github.com/fagus-dsm/fagus/fagus"
)

// benchmark is one of the NAS Parallel Benchmarks.
type benchmark struct {
	name, what string
	unit       string // of progress
	units      func(npb.Class) int
	run        func(*fagus.Node, npb.Config) (npb.Result, error)
}

func benchmarks() []benchmark {
	return []benchmark{
		{"ep", "NPB EP: pairs of normal deviates, nothing shared until the end", "batches", ep.Units, ep.Run},
		{"ft", "NPB FT: a 3-D Fourier transform, transposed between all ranks", "planes", ft.Units, ft.Run},
		{"mg", "NPB MG: multigrid, with edges from neighbours on every level", "planes", mg.Units, mg.Run},
		{"is", "NPB IS: ranks of integer keys, which all ranks send to all", "iterations", is.Units, is.Run},
		{"cg", "NPB CG: eigenvalue of a sparse matrix, a vector gathered by all ranks a step", "iterations", cg.Units, cg.Run},
	}
}

func benchmarkCommands(usage cli.OnUsageErrorFunc) (commands []*cli.Command) {
	for _, b := range benchmarks() {
		commands = append(commands, b.command(usage))
	}
	return commands
}

func (b benchmark) command(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the problem"
	return programCommand(usage, &cli.Command{
		Name:  b.name,
		Usage: b.what,
		UsageText: fmt.Sprintf("fagus run %s [flags]\n\n"+
			"fagus run %[1]s                                         class S on 2 simulated nodes\n"+
			"fagus run %[1]s --class A --net shm                     two processes of this host\n"+
			"fagus run %[1]s --class W --net inproc --nodes 4 --json", b.name),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "class", Category: input, Value: "S", Usage: "`CLASS` of the problem: S, W or A"},
			spoilFlag(input),
		},
	}, func(c *cli.Context) (*job, error) {
		class, err := npb.ParseClass(c.String("class"))
		if err != nil {
			return nil, &usageError{err}
		}
		return b.job(npb.Config{Class: class, Spoil: c.Bool("spoil")}), nil
	})
}

func (b benchmark) job(cfg npb.Config) *job {
	return &job{
		app: b.name, size: fmt.Sprintf("class %v", cfg.Class), measured: "timed section, of the slowest rank",
		unit: b.unit, units: b.units(cfg.Class),
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := b.run(n, cfg)
			o, err := checkedOutcome(n, "error/tolerance of NPB", r, err)
			if o.words != "" {
				o.words += fmt.Sprintf("\n%.2f Mop/s", r.Mops(r.Time))
			}
			return o, err
		},
	}
}

// checkedOutcome is of a program that has npb's Result; name says what its checks are.
func checkedOutcome(n *fagus.Node, name string, r npb.Result, err error) (outcome, error) {
	o := outcome{took: r.Time}
	if n.Rank() == 0 && err == nil {
		o.check = check{Name: name, Value: min(r.Excess(), math.MaxFloat64), Limit: 1}
		lines := r.Lines
		for _, c := range r.Checks {
			lines = append(lines, c.String())
		}
		o.words = strings.Join(lines, "\n")
	}
	return o, err
}
