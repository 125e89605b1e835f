package repeat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// The kinds of versions of a program.
const (
	Sequential = "sequential" // without Fagus, in one goroutine
	Single     = "one rank"
	Parallel   = "parallel"
)

// Schema identifies the document of a Plan that has run.
const Schema = "fagus.repeat/v1"

// endsWithin is how long a program may take to end after a signal. Its ranks have half a second.
const endsWithin = 1200 * time.Millisecond

const mostOutput = 64 << 20 // bytes of a document

// Plan is runs of one program in several versions, which take turns. It is a document of Schema
// when Run has returned.
type Plan struct {
	Schema  string `json:"schema"`
	Program string `json:"program"`
	Where   string `json:"where"` // in words
	Runs    int    `json:"runs"`  // of each version
	// What is "measured" if the times are of the section that the program measures, else "total".
	What     string    `json:"what"`
	Clock    string    `json:"clock"`
	Versions []Version `json:"versions"`
	// Speedups are of the parallel version, round by round: how many times as long another version
	// took. Efficiency is the one over one rank, divided by the number of ranks.
	OverOne        *Ratio   `json:"over_one,omitempty"`
	OverSequential *Ratio   `json:"over_sequential,omitempty"`
	Efficiency     *float64 `json:"efficiency,omitempty"`

	Self string `json:"-"` // the executable
}

// Version is one way to run the program.
type Version struct {
	Name  string   `json:"name"` // Sequential, Single or Parallel
	Nodes int      `json:"nodes"`
	Args  []string `json:"arguments"`
	Time  Sample   `json:"time_ns"`
	// Spread is the largest deviation from the median, divided by the median.
	Spread float64 `json:"spread"`
	Times  []int64 `json:"times_ns"` // of the runs, in their order
}

// ExitError is the failure of a run.
type ExitError struct {
	Code int
	text string
}

// Error says which command has failed, and what it has printed.
func (e *ExitError) Error() string { return e.text }

// Run runs all versions in turn, each as a process without standard input, and evaluates the times.
// done is called after each run. If ctx ends, so do the program and all that it has started.
func (p *Plan) Run(ctx context.Context, done func(runs int)) error {
	p.Schema = Schema
	runs := 0
	err := InTurn(p.Runs, len(p.Versions), func(_, i int) error {
		d, err := p.once(ctx, p.Versions[i].Args)
		if err != nil {
			return fmt.Errorf("run %d of %d: %w", runs+1, p.Runs*len(p.Versions), err)
		}
		if err := p.take(&p.Versions[i], d); err != nil {
			return err
		}
		runs++
		done(runs)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range p.Versions {
		v := &p.Versions[i]
		v.Time = NewSample(v.Times)
		v.Spread = v.Time.Spread()
	}
	if parallel, one := p.of(Parallel), p.of(Single); parallel != nil && one != nil {
		if p.OverOne = NewRatio(one.Times, parallel.Times); p.OverOne != nil {
			efficiency := p.OverOne.Median / float64(parallel.Nodes)
			p.Efficiency = &efficiency
		}
	}
	if parallel, plain := p.of(Parallel), p.of(Sequential); parallel != nil && plain != nil {
		p.OverSequential = NewRatio(plain.Times, parallel.Times)
	}
	return nil
}

func (p *Plan) of(name string) *Version {
	for i := range p.Versions {
		if p.Versions[i].Name == name {
			return &p.Versions[i]
		}
	}
	return nil
}

// document is the part of a run's document that has its times.
type document struct {
	Schema         string           `json:"schema"`
	Clock          string           `json:"clock"`
	MeasuredNs     int64            `json:"measured_ns"`
	MeasuredTimeNs map[string]int64 `json:"measured_time_ns"`
	TimeNs         map[string]int64 `json:"time_ns"`
}

// took returns the time of the section that the program measures, or else of the whole program.
func (d *document) took() (ns int64, measured bool) {
	if d.MeasuredNs > 0 {
		return d.MeasuredNs, true
	}
	if ns := d.MeasuredTimeNs["total"]; ns > 0 {
		return ns, true
	}
	return d.TimeNs["total"], false
}

// take adds the time of a run to those of its version.
func (p *Plan) take(v *Version, d *document) error {
	ns, measured := d.took()
	what := "total"
	if measured {
		what = "measured"
	}
	if ns <= 0 {
		return fmt.Errorf("the %s version has taken no time: nothing can be compared", v.Name)
	}
	if p.What != "" && p.What != what {
		return fmt.Errorf("one version of the program measures a part of itself, and the %s version another part, or none: measure the same part in all of them (Node.Measure)", v.Name)
	}
	p.What = what
	if v.Name != Sequential {
		p.Clock = d.Clock
	}
	v.Times = append(v.Times, ns)
	return nil
}

// once runs the program, and reads its document.
func (p *Plan) once(ctx context.Context, args []string) (*document, error) {
	var out, errs bounded
	alone := launch.Alone{
		Argv: append([]string{p.Self}, args...), Env: cluster.WithoutPlace(os.Environ()), Stdout: &out, Stderr: &errs, Grace: endsWithin,
	}
	err := alone.Run(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, &ExitError{exit.ExitCode(), fmt.Sprintf("%s: %v; it says\n%s", p.command(args), err, errs.end())}
	}
	if err != nil {
		return nil, err
	}
	// What the program prints by itself comes before the document, if at all.
	text := out.text.Bytes()
	if i := bytes.LastIndex(text, []byte("\n{\n  \"schema\": \"fagus.")); i >= 0 {
		text = text[i:]
	}
	var d document
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&d); err != nil || !strings.HasPrefix(d.Schema, "fagus.") {
		return nil, fmt.Errorf("%s has printed no document on standard output", p.command(args))
	}
	return &d, nil
}

func (p *Plan) command(args []string) string {
	return filepath.Base(p.Self) + " " + strings.Join(args, " ")
}

// bounded keeps the first part of what is written to it.
type bounded struct{ text bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	b.text.Write(p[:min(len(p), mostOutput-min(mostOutput, b.text.Len()))])
	return len(p), nil
}

// end returns the last lines.
func (b *bounded) end() string {
	const most = 8
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(b.text.String(), "?")), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-most):], "\n  ")
}

// String returns the times as a table.
func (p *Plan) String() string {
	var b strings.Builder
	section := "the whole program"
	if p.What == "measured" {
		section = "the section that it measures"
	}
	speedups, pairs := p.OverOne != nil || p.OverSequential != nil, ""
	if speedups {
		pairs = "; a speed-up is the median of pairs of runs"
	}
	fmt.Fprintf(&b, "%s on %s\n%s, by the %s clock; ± is the farthest of %d runs%s\n\n", p.Program, p.Where, section, p.Clock, p.Runs, pairs)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "version\tmedian\tmin\tmax")
	if speedups {
		fmt.Fprintf(w, "\tspeed-up of %s\tefficiency", p.of(Parallel).label())
	}
	fmt.Fprintln(w)
	for _, v := range p.Versions {
		fmt.Fprintf(w, "%s\t%v\t%v\t%v", v.label(), v.Time, duration(v.Time.Min), duration(v.Time.Max))
		if speedups {
			speedup, efficiency := p.speedup(v)
			fmt.Fprintf(w, "\t%s\t%s", speedup, efficiency)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // a Builder returns no errors
	return b.String()
}

// speedup returns in the row of a version how many times as fast the parallel version is, and in
// that of the parallel one its efficiency.
func (p *Plan) speedup(v Version) (speedup, efficiency string) {
	switch v.Name {
	case Sequential:
		return p.OverSequential.String(), ""
	case Single:
		return p.OverOne.String(), ""
	}
	if p.Efficiency != nil {
		efficiency = fmt.Sprintf("%.0f %%", 100**p.Efficiency)
	}
	return "", efficiency
}

func (v *Version) label() string {
	switch {
	case v.Name == Sequential:
		return v.Name
	case v.Nodes == 1:
		return "1 rank"
	}
	return fmt.Sprintf("%d ranks", v.Nodes)
}
