package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const programsText = "make -C bench programs DIR=/tmp/npb && fagus bench --programs /tmp/npb     whole programs, against those of NPB and of the Parallel Research Kernels\n" +
	"fagus bench --programs /tmp/npb --only cg,p2p --classes A,B --ranks 1,2,4 --net tcp"

// programSamples is the number of samples by default with --programs, where each takes seconds.
const programSamples = 5

func programsFlags() []cli.Flag {
	const category = "with --programs"
	return []cli.Flag{
		&cli.StringFlag{Name: "programs", Category: category, Usage: fmt.Sprintf("measure fagus run in turns with the programs that make -C bench programs DIR=`FOLDER` has built; --net shm (the default here) or tcp; --samples is %d by default, --ranks 2", programSamples)},
		&cli.StringSliceFlag{Name: "classes", Category: category, Value: cli.NewStringSlice("A"), Usage: "`CLASSES` of NPB's programs"},
		&cli.StringSliceFlag{Name: "only", Category: category, DefaultText: "all that are built", Usage: "`NAMES` of programs: those of NPB, and stencil, transpose, p2p, nstream, start"},
	}
}

// workload is a program with its size.
type workload struct {
	Name string
	file string   // of a peer, without .x
	own  []string // arguments of fagus run
	peer []string // arguments of a peer
	// iterations of which a peer tells the mean time of one; 0: it tells the time of the program.
	iterations int
	// whole: the time is that of the command, from its start to its end.
	whole bool
}

// is reports whether the workload is a program, in any class.
func (w workload) is(name string) bool { return strings.Fields(w.Name)[0] == name }

// workloads returns the programs that the command line selects.
func workloads(c *cli.Context) ([]workload, error) {
	var all []workload
	for _, name := range []string{"ep", "cg", "ft", "mg", "is", "bt", "sp", "lu"} {
		for _, class := range c.StringSlice("classes") {
			class = strings.ToUpper(class)
			own := name
			if name == "lu" {
				own = "ssor" // lu is SPLASH's
			}
			all = append(all, workload{Name: name + " " + class, file: name + "." + class, own: []string{own, "--class", class}})
		}
	}
	for _, k := range []struct{ name, own, peer string }{
		{"stencil", "--n 2000", "2000"},
		{"transpose", "--n 1024", "1024"},
		{"p2p", "--columns 1000 --rows 1000", "1000 1000"},
		{"nstream", "--length 4000000", "4000000 0"},
	} {
		const iterations = 50
		own := strings.Fields(fmt.Sprintf("%s --iterations %d %s", k.name, iterations, k.own))
		peer := strings.Fields(fmt.Sprintf("%d %s", iterations, k.peer))
		all = append(all, workload{Name: k.name, file: k.name, own: own, peer: peer, iterations: iterations})
	}
	// It does next to nothing.
	all = append(all, workload{Name: "start", file: "start", own: strings.Fields("nstream --length 64 --iterations 1"), whole: true})
	only := c.StringSlice("only")
	for _, name := range only {
		if !slices.ContainsFunc(all, func(w workload) bool { return w.is(name) }) {
			return nil, usage.Errorf("--only %s: want %s", name, strings.Join(base.Union(nil, base.Map(all, func(w workload) string { return strings.Fields(w.Name)[0] })...), ", "))
		}
	}
	return slices.DeleteFunc(all, func(w workload) bool { return len(only) > 0 && !slices.ContainsFunc(only, w.is) }), nil
}

// performer runs a workload once, and returns the seconds that the program has measured. whole is
// that of the workload.
type performer struct {
	system     string
	own, whole bool
	run        func(context.Context) (seconds float64, err error)
}

// programRow has the samples of one system.
type programRow struct {
	Program string `json:"program"`
	Ranks   int    `json:"ranks"`
	System  string `json:"system"`
	Own     bool   `json:"-"`
	// Seconds are in ascending order; of a kernel they are those of an iteration.
	Seconds []float64 `json:"seconds"`
	Failed  string    `json:"failed,omitempty"`
}

func (r *programRow) median() float64 { return repeat.Quantile(r.Seconds, 0.5) }

func runPrograms(c *cli.Context) error {
	samples := c.Int("samples")
	if !c.IsSet("samples") {
		samples = programSamples
	}
	ranks, err := different(c, "ranks", 1, mostRanks)
	if err != nil {
		return err
	}
	net := runflags.SHM
	if c.IsSet("net") {
		net = c.String("net")
	}
	if _, err := runflags.Named(runflags.SHM, runflags.TCP).Find(net); err != nil {
		return fmt.Errorf("%w with --programs", err)
	}
	if samples < 1 {
		return usage.Errorf("--samples %d: want at least 1", samples)
	}
	timeout, err := runflags.Timeout(cmdline.Line(c))
	if err != nil {
		return err
	}
	all, err := workloads(c)
	if err != nil {
		return err
	}
	ctx, cancel := runflags.WithTimeout(c.Context, timeout)
	defer cancel()
	report := &programsReport{Schema: programsSchema, Version: base.Version(), Machine: base.Machine(), Load: load(), Net: net, Samples: samples, Ranks: ranks}
	if err := report.measure(ctx, c, all); err != nil {
		return err
	}
	if err := base.PrintText(c, report, report.text); err != nil {
		return err
	}
	return report.failure()
}

func (r *programsReport) measure(ctx context.Context, c *cli.Context, all []workload) error {
	folder := c.String("programs")
	built, err := filepath.Glob(filepath.Join(folder, "build", "*"))
	if err != nil || len(built) == 0 {
		return usage.Errorf("--programs %s: no folder build in it: make -C bench programs DIR=%[1]s makes it", folder)
	}
	bar := base.NewProgress(c.App.ErrWriter, "programs", len(all)*len(r.Ranks)*r.Samples)
	defer bar.Stop()
	for _, w := range all {
		for _, n := range r.Ranks {
			w := w.on(n)
			performers := []performer{w.fagus(r.Net, n, fagus.Phase), w.fagus(r.Net, n, fagus.Threaded)}
			for _, folder := range built {
				if p, ok := w.of(folder, r.Net, n); ok {
					performers = append(performers, p)
				}
			}
			rows := base.Map(performers, func(p performer) programRow {
				return programRow{Program: w.Name, Ranks: n, System: p.system, Own: p.own, Seconds: []float64{}}
			})
			patience := mostPatience
			for round := range r.Samples {
				for i := range performers { // each round begins with another one
					i = (i + round) % len(performers)
					if took := rows[i].sample(ctx, performers[i], patience); took > 0 {
						patience = min(patience, leastPatience+patientFor*took)
					}
					if ctx.Err() != nil {
						return context.Cause(ctx)
					}
				}
				bar.Add(1)
			}
			r.Rows = append(r.Rows, rows...)
		}
	}
	return nil
}

// A run is bounded, because MPICH's cg and is hang over TCP at times: to patientFor times the
// shortest run of any system before it, and leastPatience.
const (
	mostPatience  = 10 * time.Minute
	leastPatience = 10 * time.Second
	patientFor    = 20
)

// sample adds a run, unless one has failed, and returns how long the command has taken.
func (r *programRow) sample(ctx context.Context, p performer, patience time.Duration) (took time.Duration) {
	if r.Failed != "" {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	begun := time.Now()
	seconds, err := p.run(ctx)
	if took = time.Since(begun); p.whole {
		seconds = took.Seconds()
	}
	switch {
	case ctx.Err() != nil:
		r.Failed = fmt.Sprintf("it has not ended in %v", patience.Round(time.Second))
	case err != nil:
		r.Failed = err.Error()
	default:
		r.Seconds = append(r.Seconds, seconds)
		return took
	}
	return 0
}

// library returns what a peer is built with: openmpi, mpich, openshmem or openmp.
func (r *programRow) library() string { name, _, _ := strings.Cut(r.System, "."); return name }

// failure returns an error if a run of Fagus has failed.
func (r *programsReport) failure() (err error) {
	for _, row := range r.Rows {
		if row.Own && row.Failed != "" {
			err = errors.Join(err, fmt.Errorf("%s, %d ranks, %s: %s", row.Program, row.Ranks, row.System, row.Failed))
		}
	}
	return err
}

// on returns the workload as it is run on so many ranks. p2p hands on more rows at once where ranks
// share processors, because the scheduler then has a part in each batch.
func (w workload) on(ranks int) workload {
	if w.is("p2p") && ranks > runtime.NumCPU() {
		w.own = append(slices.Clone(w.own), "--batch", "256")
	}
	return w
}

// fagus returns fagus run.
func (w workload) fagus(net string, ranks int, mode fagus.Mode) performer {
	args := append(slices.Clone(w.own), "--net", net, "--nodes", strconv.Itoa(ranks), "--mode", mode.String())
	return performer{"Fagus, " + mode.String(), true, w.whole, func(ctx context.Context) (float64, error) {
		run, err := experiment.Fagus{}.Run(ctx, args...)
		if err != nil {
			return 0, err
		}
		if !run.Verified {
			return 0, errors.New("its result is wrong")
		}
		return time.Duration(run.Took()).Seconds() / float64(max(1, w.iterations)), nil
	}}
}

// of returns the peer's program in a folder build/SYSTEM. There may be none.
func (w workload) of(folder, net string, ranks int) (performer, bool) {
	system := filepath.Base(folder)
	program, err := filepath.Abs(filepath.Join(folder, w.file+".x"))
	if err != nil {
		return performer{}, false
	}
	if _, err := os.Stat(program); err != nil {
		return performer{}, false
	}
	argv, env := append([]string{program}, w.peer...), asRoot()
	library, variant, _ := strings.Cut(system, ".")
	if net != runflags.SHM && (library == openmp || library == openshmem || variant == mpiSHM) {
		return performer{}, false
	}
	if len(w.peer) > 0 && library == openmp || variant == mpiSHM && !w.is("p2p") {
		argv = append([]string{program, strconv.Itoa(ranks)}, w.peer...)
	}
	if library == openmp {
		env = append(env, fmt.Sprintf("OMP_NUM_THREADS=%d", ranks), "OMP_PROC_BIND=true")
	} else {
		launcher := "mpirun." + library
		if library == openshmem {
			launcher = openSHMEM("").launcher
		}
		start, err := launch(launcher, ranks, true)
		if err != nil {
			return performer{}, false
		}
		if net == runflags.TCP {
			env = append(env, overTCP(library)...)
		}
		argv = append(start, argv...)
	}
	return performer{system, false, w.whole, func(ctx context.Context) (float64, error) {
		out, err := experiment.Output(ctx, argv, env)
		if w.whole {
			return 0, err
		}
		seconds, wrong := timeIn(out)
		if wrong == nil || err == nil {
			return seconds, wrong // OpenSHMEM crashes at its end, after a verified result
		}
		return 0, err
	}}, true
}

// The first and second part of the names of systems.
const (
	openmp    = "openmp"
	openshmem = "openshmem"
	mpiSHM    = "MPISHM"
)

var (
	took     = regexp.MustCompile(`(?:Time in seconds =|Avg time \(s\):)\s*([0-9.]+)`)
	verified = regexp.MustCompile(`Verification\s*=\s*SUCCESSFUL|Solution validates`)
)

// timeIn returns the time that a program of NPB or PRK has printed.
func timeIn(out []byte) (seconds float64, err error) {
	found := took.FindSubmatch(out)
	if !verified.Match(out) || found == nil {
		return 0, fmt.Errorf("it prints no time of a verified result: %s", experiment.Quoted(string(out[max(0, len(out)-200):])))
	}
	if seconds, err = strconv.ParseFloat(string(found[1]), 64); err == nil && seconds <= 0 {
		err = errors.New("it takes no time that it can measure: take a larger class")
	}
	return seconds, err
}

// best returns the row of the lowest median among those that are wanted; nil if there is none.
func best(rows []programRow, wanted func(*programRow) bool) *programRow {
	var found []*programRow
	for i := range rows {
		if r := &rows[i]; len(r.Seconds) > 0 && r.Failed == "" && wanted(r) {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return slices.MinFunc(found, func(a, b *programRow) int { return cmp.Compare(a.median(), b.median()) })
}
