package catalog

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/bt"
	"github.com/fagus-dsm/fagus/apps/cg"
	"github.com/fagus-dsm/fagus/apps/ep"
	"github.com/fagus-dsm/fagus/apps/ft"
	"github.com/fagus-dsm/fagus/apps/internal/npb"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/is"
	"github.com/fagus-dsm/fagus/apps/mg"
	"github.com/fagus-dsm/fagus/apps/sp"
	"github.com/fagus-dsm/fagus/apps/ssor"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

type benchmark struct {
	name, about string
	unit        string                             // the name of a step of progress
	units       func(npb.Class) int                // the number of steps
	memory      func(c npb.Class, nodes int) int   // see Job.Memory; nil: little
	validate    func(c npb.Class, nodes int) error // nil: every number of nodes is valid
	run         func(*fagus.Node, npb.Config) (verify.Result, error)
	plain       func(npb.Config, verify.Timer) verify.Result
}

func (b benchmark) program() Program {
	return Program{Name: b.name, About: "NPB " + b.about, VerifiedBy: "the values of NPB, classes S, W, A, B and C",
		Examples: "\n" + aligned("fagus run "+b.name, "class S on 2 simulated nodes") + "\n" +
			aligned("fagus run "+b.name+" --class A --net shm", "two processes of this host") + "\n" +
			aligned("fagus run "+b.name+" --plain", "the same without Fagus, in one goroutine") + "\n" +
			"fagus run " + b.name + " --class W --net inproc --nodes 4 --json",
		Flags: under("the problem",
			&cli.StringFlag{Name: "class", Value: "S", Usage: "`CLASS` of the problem: S, W, A, B or C"},
			spoilFlag(),
		),
		Prepare: b.prepare,
	}
}

func (b benchmark) prepare(f Flags) (*Job, error) {
	class, err := npb.ParseClass(f.String("class"))
	if err == nil && b.validate != nil {
		err = b.validate(class, f.Nodes)
	}
	if err != nil {
		return nil, usage.Wrap(err)
	}
	var memory func(int) int
	if b.memory != nil {
		memory = func(int) int { return b.memory(class, f.Nodes) }
	}
	return jobOf(code[npb.Config, verify.Result]{
		config: npb.Config{Class: class, Options: f.options()}, progress: func(c *npb.Config) *func(int) { return &c.Progress },
		run: b.run, plain: infallible(b.plain), outcome: verified("error/tolerance of NPB"),
	}, &Job{
		App: b.name, Size: fmt.Sprintf("class %v", class), Measured: "timed section, of the slowest rank", Unit: b.unit, Units: b.units(class), Memory: memory,
	}), nil
}

func benchmarks() []benchmark {
	bt, sp := bt.Benchmark(), sp.Benchmark()
	return []benchmark{{
		name: "ep", about: "EP: pairs of normal deviates, nothing shared until the end",
		unit: "batches", units: ep.Units, run: ep.Run, plain: ep.Plain,
	}, {
		name: "ft", about: "FT: a 3-D Fourier transform, transposed between all ranks",
		unit: "planes", units: ft.Units, memory: ft.Memory, run: ft.Run, plain: ft.Plain,
	}, {
		name: "mg", about: "MG: multigrid, with edges from neighbours on every level",
		unit: "planes", units: mg.Units, memory: mg.Memory, validate: mg.Validate, run: mg.Run, plain: mg.Plain,
	}, {
		name: "is", about: "IS: ranks of integer keys, which all ranks send to all",
		unit: "iterations", units: is.Units, memory: is.Memory, run: is.Run, plain: is.Plain,
	}, {
		name: "cg", about: "CG: eigenvalue of a sparse matrix, a vector gathered by all ranks in each step",
		unit: "iterations", units: cg.Units, memory: cg.Memory, run: cg.Run, plain: cg.Plain,
	}, {
		name: "bt", about: "BT: block-tridiagonal systems along x, y and z, divided by planes and then by rows",
		unit: "planes", units: bt.Units, memory: bt.Memory, validate: bt.Validate, run: bt.Run, plain: bt.Plain,
	}, {
		name: "sp", about: "SP: pentadiagonal systems along x, y and z, divided by planes and then by rows",
		unit: "planes", units: sp.Units, memory: sp.Memory, validate: sp.Validate, run: sp.Run, plain: sp.Plain,
	}, {
		name: "ssor", about: "LU: symmetric over-relaxation, a pipeline of ranks in each sweep",
		unit: "planes", units: ssor.Units, memory: ssor.Memory, validate: ssor.Validate, run: ssor.Run, plain: ssor.Plain,
	}}
}
