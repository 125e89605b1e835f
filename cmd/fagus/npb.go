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
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// benchmark is one of the NAS Parallel Benchmarks.
type benchmark struct {
	name, what string
	unit       string // of progress
	units      func(npb.Class) int
	validate   func(c npb.Class, nodes int) error
	run        func(*fagus.Node, npb.Config) (verify.Result, error)
	plain      func(npb.Config, verify.Timer) verify.Result
}

func benchmarks() []benchmark {
	return []benchmark{
		{"ep", "NPB EP: pairs of normal deviates, nothing shared until the end", "batches", ep.Units, anyNodes, ep.Run, ep.Plain},
		{"ft", "NPB FT: a 3-D Fourier transform, transposed between all ranks", "planes", ft.Units, anyNodes, ft.Run, ft.Plain},
		{"mg", "NPB MG: multigrid, with edges from neighbours on every level", "planes", mg.Units, mg.Validate, mg.Run, mg.Plain},
		{"is", "NPB IS: ranks of integer keys, which all ranks send to all", "iterations", is.Units, anyNodes, is.Run, is.Plain},
		{"cg", "NPB CG: eigenvalue of a sparse matrix, a vector gathered by all ranks a step", "iterations", cg.Units, anyNodes, cg.Run, cg.Plain},
	}
}

// anyNodes says that a benchmark runs on any number of nodes.
func anyNodes(npb.Class, int) error { return nil }

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
		if err := b.validate(class, c.Int("nodes")); err != nil {
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
			return checkedOutcome(n, benchmarkCheck, r, err)
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			cfg := cfg
			cfg.Progress = progress
			return outcomeOf(benchmarkCheck, b.plain(cfg, timed))
		},
	}
}

const benchmarkCheck = "error/tolerance of NPB"

// checkedOutcome is a rank's of a program that has a verify.Result; name says what its checks are.
func checkedOutcome(n *fagus.Node, name string, r verify.Result, err error) (outcome, error) {
	if n.Rank() != 0 || err != nil {
		return outcome{took: r.Time}, err
	}
	return outcomeOf(name, r), nil
}

func outcomeOf(name string, r verify.Result) outcome {
	lines := r.Lines
	for _, c := range r.Checks {
		lines = append(lines, c.String())
	}
	if r.Operations > 0 {
		lines = append(lines, fmt.Sprintf("%.2f Mop/s", r.Mops(r.Time)))
	}
	return outcome{took: r.Time, bits: r.Bits(), words: strings.Join(lines, "\n"), check: check{Name: name, Value: min(r.Excess(), math.MaxFloat64), Limit: 1}}
}
