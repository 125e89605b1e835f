package catalog

import (
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/internal/prk"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

type kernel struct {
	name, about string
	rate        string // the unit of the rate that PRK prints
	check       string // the name of the comparison with the closed form
	example     string // the flags of an example command line
	sizes       []size
	// configure returns the kernel with the given sizes, in the order of the size flags.
	configure func(sizes []int, l prk.Loop) configured
}

// size is a flag that sets a size of the problem.
type size struct {
	name, usage string
	value       int // by default
}

// configured is a kernel with its sizes.
type configured struct {
	n       int    // the most significant size of the problem
	size    string // all sizes of the problem in words
	invalid error  // why the sizes are invalid; nil if valid
	memory  func(n int) int
	run     func(*fagus.Node, prk.Loop) (prk.Result, error)
	plain   func(prk.Loop, verify.Timer) prk.Result
}

const (
	megabytes = "MB/s"
	megaflops = "Mflop/s"
)

func (k kernel) program() Program {
	flags := under("the problem",
		&cli.IntFlag{Name: "iterations", Value: 10, Usage: "timed iterations, after one that is not timed"},
		spoilFlag(),
	)
	for _, s := range k.sizes {
		flags = append(flags, &cli.IntFlag{Name: s.name, Value: s.value, Usage: s.usage})
	}
	return Program{Name: k.name, About: "PRK " + k.about, VerifiedBy: "closed form", Flags: flags, Prepare: k.prepare,
		Examples: "\n" + aligned("fagus run "+k.name, "2 simulated nodes") + "\nfagus run " + k.name + " " + k.example + " --net shm",
	}
}

func (k kernel) prepare(f Flags) (*Job, error) {
	var sizes []int
	for _, s := range k.sizes {
		sizes = append(sizes, f.Int(s.name))
	}
	loop := prk.Loop{Iterations: f.Int("iterations"), Options: f.options()}
	c := k.configure(sizes, loop)
	if c.invalid != nil {
		return nil, usage.Wrap(c.invalid)
	}
	return jobOf(code[prk.Loop, prk.Result]{
		config: loop, progress: func(l *prk.Loop) *func(int) { return &l.Progress }, run: c.run, plain: infallible(c.plain),
		outcome: func(r prk.Result) Outcome {
			return Outcome{
				Took: r.Time, Bits: math.Float64bits(r.Got), Verification: Verification{Name: k.check, Value: finite(r.Error), Limit: prk.Epsilon},
				Text: fmt.Sprintf("result %.15g, want %.15g\n%.2f %s, %v an iteration", r.Got, r.Want, r.Rate(), k.rate, r.Time/fagus.Time(max(1, r.Made))),
			}
		},
	}, &Job{
		App: k.name, N: c.n, Memory: c.memory, Size: fmt.Sprintf("%s, %d iterations", c.size, loop.Iterations), Measured: "timed iterations, of the slowest rank",
		Unit: "iterations", Units: loop.Total(),
	}), nil
}

// configure returns a kernel with its sizes. n is the most significant size, size describes all
// sizes in words, memory is Job.Memory, and with returns the configuration for a loop.
func configure[C any, P interface {
	*C
	Validate() error
}](n int, size string, memory func(n int) int, l prk.Loop, with func(prk.Loop) C,
	run func(*fagus.Node, C) (prk.Result, error), plain func(C, verify.Timer) prk.Result) configured {
	cfg := with(l)
	return configured{n, size, P(&cfg).Validate(), memory,
		func(n *fagus.Node, l prk.Loop) (prk.Result, error) { return run(n, with(l)) },
		func(l prk.Loop, timed verify.Timer) prk.Result { return plain(with(l), timed) }}
}
