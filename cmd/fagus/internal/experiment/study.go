package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
)

// Axis is a parameter of a study: a flag of fagus run, and the values that it takes. A value may
// have other flags behind it, which go with it.
type Axis struct {
	Flag   string   `json:"flag"` // such as --placement
	Values []string `json:"values"`
}

// Study is runs of programs, each with every combination of the values of its axes.
type Study struct {
	By       Fagus    `json:"-"`
	Programs []string `json:"programs"` // with their flags: "matmul --n 512"
	Common   string   `json:"common"`   // the flags of all runs
	Axes     []Axis   `json:"axes"`
	Repeat   int      `json:"repeat"` // runs of each combination, which take turns
	Points   []Point  `json:"points"` // the results: the last axis changes first
}

// Point is the runs of a program with one combination of values.
type Point struct {
	Program string   `json:"program"`
	Values  []string `json:"values"` // by axis
	// Fault is Refused, Late, or what else went wrong; "" if all runs had a right result.
	Fault  string        `json:"fault,omitempty"`
	TimeNs repeat.Sample `json:"time_ns"` // of Document.Took
	Runs   []*Run        `json:"-"`
	Wall   time.Duration `json:"-"` // how long the last run took; 0: there was none

	refused error // of usage
}

// Size returns the number of runs.
func (s *Study) Size() int {
	n := len(s.Programs) * s.Repeat
	for _, a := range s.Axes {
		n *= len(a.Values)
	}
	return n
}

// Run runs all combinations in turn. done, if not nil, is called after each run. An error means
// that ctx has ended, or that the command cannot be started.
func (s *Study) Run(ctx context.Context, done func()) error {
	if err := s.check(); err != nil {
		return err
	}
	s.Points = nil
	for _, p := range s.Programs {
		s.Points = append(s.Points, combinations(Point{Program: p}, s.Axes)...)
	}
	err := repeat.InTurn(s.Repeat, len(s.Points), func(_, i int) (err error) {
		if p := &s.Points[i]; p.Fault == "" {
			err = s.runOnce(ctx, p)
		}
		if done != nil && err == nil {
			done()
		}
		return err
	})
	for i := range s.Points {
		if p := &s.Points[i]; p.Fault == "" && len(p.Runs) > 0 {
			p.TimeNs = repeat.NewSample(base.Map(p.Runs, func(r *Run) int64 { return r.Took() }))
		}
	}
	return err
}

// Impossible returns an error of usage if every run of a program is refused.
func (s *Study) Impossible() error {
	for points := range slices.Chunk(s.Points, len(s.Points)/len(s.Programs)) {
		if !slices.ContainsFunc(points, func(p Point) bool { return p.refused == nil }) {
			return points[0].refused
		}
	}
	return nil
}

// check returns an error if there is nothing to run.
func (s *Study) check() error {
	empty := func(a Axis) bool { return len(a.Values) == 0 }
	if len(s.Programs) == 0 || len(s.Axes) == 0 || slices.ContainsFunc(s.Axes, empty) || s.Repeat < 1 {
		return fmt.Errorf("experiment: %d programs, axes %v, %d runs each: want at least one program, axis, value and run", len(s.Programs), s.Axes, s.Repeat)
	}
	return nil
}

// combinations returns a point for each combination of the values of axes.
func combinations(p Point, axes []Axis) (points []Point) {
	if len(axes) == 0 {
		return []Point{p}
	}
	for _, v := range axes[0].Values {
		next := p
		next.Values = append(slices.Clone(p.Values), v)
		points = append(points, combinations(next, axes[1:])...)
	}
	return points
}

func (s *Study) runOnce(ctx context.Context, p *Point) (err error) {
	args := slices.Concat(strings.Fields(p.Program), strings.Fields(s.Common))
	for i, a := range s.Axes {
		args = append(append(args, a.Flag), strings.Fields(p.Values[i])...)
	}
	began := time.Now()
	r, failed := s.By.Run(ctx, args...)
	took := time.Since(began)
	switch {
	case failed != nil:
		if p.Fault, err = Fault(ctx, failed); err != nil {
			return err // of the study: the point has no result
		}
		if p.Fault == Refused {
			p.refused = failed
		}
	case !r.Verified:
		p.Fault = fmt.Sprintf("fagus run %s: the result is wrong", CommandLine(args))
	default:
		p.Runs = append(p.Runs, r)
	}
	p.Wall = took
	return nil
}

// Table returns the times as a table: a row for each program and for each combination of all axes
// but the last, a column for each value of the last. Below it are Faults.
func (s *Study) Table() string {
	last := s.Axes[len(s.Axes)-1]
	header, numbers := table.Row{"program"}, []int(nil)
	for _, a := range s.Axes[:len(s.Axes)-1] {
		header = append(header, name(a.Flag))
	}
	for _, v := range last.Values {
		header, numbers = append(header, name(last.Flag)+" "+v), append(numbers, len(header)+1)
	}
	t := base.NewTable(header, numbers...)
	for points := range slices.Chunk(s.Points, len(last.Values)) {
		row := table.Row{points[0].Program}
		for _, v := range points[0].Values[:len(s.Axes)-1] {
			row = append(row, v)
		}
		for _, p := range points {
			if word := p.Word(); word != "" {
				row = append(row, word)
				continue
			}
			row = append(row, p.TimeNs)
		}
		t.AppendRow(row)
	}
	return t.Render() + s.Faults()
}

// Word says in a word why the point has no result: Refused, Late or "failed"; "" if it has one.
func (p *Point) Word() string {
	if p.failed() {
		return "failed"
	}
	return p.Fault
}

// Faults returns a text for the end of a table: what has failed, a line each.
func (s *Study) Faults() (text string) {
	for _, p := range s.Points {
		if p.failed() {
			text += "\n" + p.Fault
		}
	}
	if text != "" {
		text = "\n" + text
	}
	return text
}

// Failed returns an error if runs failed or had a wrong result. Those that are refused, or take
// longer than their limit, do not count.
func (s *Study) Failed() error {
	n := 0
	for _, p := range s.Points {
		if p.failed() {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d combinations failed", n, len(s.Points))
}

func (p *Point) failed() bool { return p.Fault != "" && p.Fault != Refused && p.Fault != Late }

// Where describes in words what the study runs, and how often.
func (s *Study) Where() string {
	return fmt.Sprintf("fagus run PROGRAM %s; %s", s.Common, RunsText(s.Repeat))
}

// RunsText says what a Sample of so many runs is.
func RunsText(runs int) string {
	if runs > 1 {
		return fmt.Sprintf("medians of %d runs, ± the farthest of them", runs)
	}
	return "one run each"
}

func name(flag string) string { return strings.TrimLeft(flag, "-") }
