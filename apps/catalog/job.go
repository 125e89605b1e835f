package catalog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Verification compares a result with a value that the program itself did not compute.
type Verification struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // the deviation
	Limit float64 `json:"limit"` // the largest deviation that passes
}

// OK reports whether the result passes.
func (v Verification) OK() bool { return v.Value <= v.Limit }

// String returns the name and the deviation.
func (v Verification) String() string { return fmt.Sprintf("%s is %.3g", v.Name, v.Value) }

// Against returns String and the limit.
func (v Verification) Against() string { return fmt.Sprintf("%v, the limit is %.3g", v, v.Limit) }

// Outcome is the result of a job at one rank. Only rank 0 fills in more than Took.
type Outcome struct {
	Verification Verification
	Text         string     // the result in words; "" if Verification alone describes it
	Took         fagus.Time // the time of the measured section at this rank
	// Bits identifies the result: equal numbers mean equal results, bit for bit. 0 means unknown.
	Bits uint64
}

// Job is a program with its input, ready to run.
type Job struct {
	App      string
	N        int    // the most significant size of the problem
	Size     string // all sizes of the problem in words
	Measured string // the name of the measured section
	// Unit names a step of progress. Units is the number of steps of all ranks; 0 means unknown.
	Unit  string
	Units int
	// Memory returns the least number of bytes that all ranks together need if N is n and all other
	// sizes stay, by package capacity; nil means unknown, or little.
	Memory func(n int) int
	// Inputs are the paths of files that Open reads.
	Inputs []string
	// Open, if not nil, reads or generates input and completes the job. Every rank runs it.
	Open func(ctx context.Context) error
	// Run runs the program at one rank. It calls progress with the number of steps just finished.
	Run func(n *fagus.Node, progress func(int)) (Outcome, error)
	// Plain runs the program in one goroutine, without Fagus; nil if the program has no such
	// version. It calls timed to run and time its main section.
	Plain func(timed func(section func()) fagus.Time, progress func(int)) (Outcome, error)
	// Write, if not nil, writes the output files. It is called after verification, at rank 0.
	Write func() error
}

// CheckMemory returns an error if j needs more memory than is free: one of usage if no machine has
// so much. parts is among how many equal processes the memory is divided. The error names the
// largest size that fits.
func (j *Job) CheckMemory(free capacity.Free, parts int) error {
	if j.Memory == nil {
		return nil
	}
	fits := func(n int) error { return free.Check(j.Memory(n) / parts) }
	err := fits(j.N)
	if err == nil {
		return nil
	}
	remedy := "take a smaller input, or more hosts (--hosts)"
	if free.Limit == "" {
		free = capacity.Left()
	}
	flag := scales()[j.App].Flag
	if most := sort.Search(j.N, func(n int) bool { return fits(n) != nil }) - 1; most > 0 && flag != "class" {
		remedy = fmt.Sprintf("--%s may be %d at most on this host, or take more hosts (--hosts)", flag, most)
	}
	err = fmt.Errorf("%s, %s: %w: %s", j.App, j.Size, err, remedy)
	if errors.Is(err, capacity.ErrImpossible) {
		return usage.Wrap(err)
	}
	return err
}

// code has the functions of a program, and the configuration of one job.
type code[Config, Result any] struct {
	config   Config
	progress func(*Config) *func(int) // returns the field for Job.Run's progress; nil: no field
	run      func(*fagus.Node, Config) (Result, error)
	plain    func(Config, verify.Timer) (Result, error) // nil: there is no version without Fagus
	outcome  func(Result) Outcome                       // makes the Outcome of rank 0
}

// jobOf sets Run and Plain of j, and returns j. It is no method, because the compiler makes four of
// each method of a generic type.
func jobOf[Config, Result any](c code[Config, Result], j *Job) *Job {
	with := func(progress func(int)) Config {
		cfg := c.config
		if c.progress != nil {
			*c.progress(&cfg) = progress
		}
		return cfg
	}
	j.Run = func(n *fagus.Node, progress func(int)) (Outcome, error) {
		r, err := c.run(n, with(progress))
		if err != nil {
			return Outcome{}, err
		}
		o := c.outcome(r)
		if n.Rank() != 0 {
			o = Outcome{Took: o.Took}
		}
		return o, nil
	}
	if c.plain == nil {
		return j
	}
	j.Plain = func(timed func(func()) fagus.Time, progress func(int)) (Outcome, error) {
		r, err := c.plain(with(progress), timed)
		if err != nil {
			return Outcome{}, err
		}
		return c.outcome(r), nil
	}
	return j
}

func infallible[Config, Result any](plain func(Config, verify.Timer) Result) func(Config, verify.Timer) (Result, error) {
	return func(cfg Config, timed verify.Timer) (Result, error) { return plain(cfg, timed), nil }
}

// verified returns a function that makes an Outcome from a verify.Result. name becomes the name of
// the Outcome's Verification.
func verified(name string) func(verify.Result) Outcome {
	return func(r verify.Result) Outcome {
		lines := r.Lines
		for _, c := range r.Checks {
			lines = append(lines, c.String())
		}
		if r.Operations > 0 {
			lines = append(lines, fmt.Sprintf("%.2f Mop/s", r.Mops(r.Time)))
		}
		return Outcome{
			Verification: Verification{Name: name, Value: finite(r.Excess()), Limit: 1},
			Text:         strings.Join(lines, "\n"), Took: r.Time, Bits: r.Bits(),
		}
	}
}

// finite returns x, or the largest number if x is infinite: JSON has no infinity.
func finite(x float64) float64 { return min(x, math.MaxFloat64) }
