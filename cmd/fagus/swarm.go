package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/swarm"
)

const (
	swarmSeeds   = 1000 // where neither --seeds nor --seconds is given
	swarmSeconds = 60
)

func swarmCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const which = "which cases"
	return &cli.Command{
		Name:  "swarm",
		Usage: "run random programs under random faults in virtual time, and check every run",
		UsageText: "fagus swarm [flags]\n\n" +
			"fagus swarm                                 1000 seeds, or 60 s of them\n" +
			"fagus swarm --seconds 300 --out swarm.json  a campaign\n" +
			"fagus swarm --kinds pause,partition         these faults alone\n" +
			"fagus swarm --seed 1234 --seeds 1 --verbose one case again, with all that it does\n" +
			"fagus swarm --case swarm.json               the first case that failed in a campaign, made small",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags: []cli.Flag{
			&cli.Uint64Flag{Name: "seed", Category: which, Value: 1, Usage: "the `FIRST` seed; each makes a program, an engine, a network and faults"},
			&cli.Uint64Flag{Name: "seeds", Category: which, DefaultText: "1000; any with --seconds", Usage: "`N` seeds"},
			&cli.Float64Flag{Name: "seconds", Category: which, DefaultText: "60; any with --seeds", Usage: "stop after `S` seconds of machine time"},
			&cli.StringFlag{Name: "kinds", Category: which, DefaultText: "all", Usage: "only these `FAULTS`, with commas between: " + kindNames()},
			&cli.StringFlag{Name: "case", Category: which, Usage: "run the case in `FILE` instead: one as JSON, or a document of --out"},
			&cli.IntFlag{Name: "shrink", Category: outputCategory, Value: 1000, Usage: "make a case that fails small in at most `RUNS` runs; 0: leave it as it is"},
			&cli.BoolFlag{Name: "verbose", Category: outputCategory, Usage: "print every case and what it came to"},
			&cli.BoolFlag{Name: "json", Category: outputCategory, Usage: "print one JSON document, schema " + swarmSchema},
			&cli.StringFlag{Name: "out", Category: outputCategory, Usage: "write that document to `FILE`"},
		},
		Action: runSwarm,
	}
}

func kindNames() string {
	var names []string
	for _, kind := range swarm.Kinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

// campaign is what the flags ask for.
type campaign struct {
	first   uint64
	seeds   uint64        // 0: any number
	limit   time.Duration // 0: none
	kinds   []swarm.Kind  // nil: all
	names   string        // the kinds as they were given
	only    *swarm.Case   // nil: those of the seeds
	path    string        // of only
	workers int
	tries   int                              // to make a case small
	print   func(format string, args ...any) // with --verbose; else nil
}

func newCampaign(c *cli.Context) (*campaign, error) {
	if c.Args().Present() {
		return nil, usagef("unexpected argument %q; see 'fagus swarm --help'", c.Args().First())
	}
	p := &campaign{first: c.Uint64("seed"), seeds: c.Uint64("seeds"), names: c.String("kinds"), path: c.String("case"), workers: runtime.NumCPU(), tries: c.Int("shrink")}
	seconds := c.Float64("seconds")
	if c.IsSet("seeds") && p.seeds == 0 {
		return nil, usagef("--seeds 0: want at least 1")
	}
	if p.tries < 0 {
		return nil, usagef("--shrink %d: want 0 or more", p.tries)
	}
	if c.IsSet("seconds") && !(seconds > 0 && seconds < 1e8) {
		return nil, usagef("--seconds %v: want more than 0, and less than 3 years", seconds)
	}
	if !c.IsSet("seeds") && !c.IsSet("seconds") {
		p.seeds, seconds = swarmSeeds, swarmSeconds
	}
	p.limit = time.Duration(seconds * float64(time.Second))
	if p.names != "" {
		for name := range strings.SplitSeq(p.names, ",") {
			kind := swarm.Kind(strings.TrimSpace(name))
			if !slices.Contains(swarm.Kinds(), kind) {
				return nil, usagef("--kinds: no fault %q: want some of %s", kind, kindNames())
			}
			p.kinds = append(p.kinds, kind)
		}
	}
	if c.IsSet("case") {
		for _, flag := range []string{"seed", "seeds", "seconds", "kinds"} {
			if c.IsSet(flag) {
				return nil, usagef("--%s means nothing with --case", flag)
			}
		}
		only, err := readCase(p.path)
		if err != nil {
			return nil, err
		}
		p.only, p.first, p.seeds, p.limit, p.workers = only, only.Seed, 1, 0, 1
	}
	if c.Bool("verbose") && !c.Bool("json") {
		var one sync.Mutex
		p.print = func(format string, args ...any) {
			one.Lock()
			defer one.Unlock()
			fmt.Fprintf(c.App.Writer, format, args...) // main looks for its error
		}
	}
	return p, nil
}

// readCase reads a case, or the first one that failed in a document of --out.
func readCase(path string) (*swarm.Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var document struct {
		swarm.Case
		Schema   string         `json:"schema"`
		Failures []swarmFailure `json:"failures"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, usagef("--case %s: %w", path, err)
	}
	only := &document.Case
	if document.Schema == swarmSchema {
		if len(document.Failures) == 0 {
			return nil, usagef("--case %s: nothing failed in it", path)
		}
		only = &document.Failures[0].Shrunk
	}
	if err := only.Check(); err != nil {
		return nil, usagef("--case %s: %w", path, err)
	}
	return only, nil
}

// at is the case of a seed.
func (p *campaign) at(seed uint64) swarm.Case {
	if p.only != nil {
		return *p.only
	}
	return swarm.New(seed, p.kinds)
}

// replay is the command that runs a case again.
func (p *campaign) replay(seed uint64) string {
	if p.only != nil {
		return "fagus swarm --case " + p.path + " --verbose"
	}
	text := fmt.Sprintf("fagus swarm --seed %d --seeds 1 --verbose", seed)
	if p.kinds != nil {
		text += " --kinds " + strings.ReplaceAll(p.names, " ", "")
	}
	return text
}

// run runs cases on all processors until there are enough, one has failed, or ctx or
// the time ends. Cases that have begun are finished.
func (p *campaign) run(ctx context.Context, r *swarmReport, bar func(int)) error {
	begun := time.Now()
	var mu sync.Mutex
	var wait sync.WaitGroup
	var failed []error
	next, shown := uint64(0), 0
	take := func() (seed uint64, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		over := p.seeds > 0 && next == p.seeds || p.limit > 0 && time.Since(begun) >= p.limit
		if over || len(failed) > 0 || len(r.Failures) > 0 || ctx.Err() != nil {
			return 0, false
		}
		next++
		return p.first + next - 1, true
	}
	for range p.workers {
		wait.Go(func() {
			for seed, ok := take(); ok; seed, ok = take() {
				c := p.at(seed)
				o, err := c.Run(ctx)
				if p.print != nil && err == nil {
					p.print("%v%s\n\n", c, outcomeText(&o))
				}
				done := 1
				mu.Lock()
				if err != nil {
					failed = append(failed, err)
				} else {
					r.add(&c, &o)
				}
				if p.seeds == 0 { // the bar is one of time
					now := int(time.Since(begun).Seconds())
					done, shown = now-shown, now
				}
				mu.Unlock()
				bar(done)
			}
		})
	}
	wait.Wait()
	r.MachineS = time.Since(begun).Seconds()
	return errors.Join(failed...)
}

// shrink makes the cases small that have failed.
func (p *campaign) shrink(ctx context.Context, r *swarmReport, stderr io.Writer) error {
	slices.SortFunc(r.Failures, func(a, b swarmFailure) int { return cmp.Compare(a.Seed, b.Seed) })
	for i := range r.Failures {
		f := &r.Failures[i]
		f.Replay = p.replay(f.Seed)
		if p.tries > 0 {
			fmt.Fprintf(stderr, "seed %d failed (%s): making it small, in at most %d runs\n", f.Seed, f.Failure.Kind, p.tries)
		}
		small, failure, err := f.whole.Shrink(ctx, &f.Failure, p.tries)
		if err != nil {
			return err
		}
		f.Shrunk, f.ShrunkFailure = small, *failure
	}
	return nil
}

func runSwarm(c *cli.Context) error {
	if err := checkWritable(c, "out", func(string) error { return nil }); err != nil {
		return err
	}
	p, err := newCampaign(c)
	if err != nil {
		return err
	}
	r := newSwarmReport(p)
	unit, units := "cases", int(min(p.seeds, 1<<30))
	if p.seeds == 0 {
		unit, units = "seconds", int(p.limit.Seconds())
	}
	bar := newProgress(c.App.ErrWriter, unit, units)
	err = p.run(c.Context, r, bar.add)
	bar.stop()
	if err == nil {
		err = c.Context.Err()
	}
	if err == nil {
		err = p.shrink(c.Context, r, c.App.ErrWriter)
	}
	if err != nil {
		if p.only != nil && c.Context.Err() == nil {
			return &usageError{err}
		}
		return err
	}
	return finishSwarm(c, r)
}

// finishSwarm writes and prints the report, and turns failures into an error.
func finishSwarm(c *cli.Context, r *swarmReport) error {
	var err error
	if path := c.String("out"); path != "" {
		err = writeSwarm(path, r)
	}
	if c.Bool("json") {
		err = errors.Join(err, printJSON(c.App.Writer, r))
	} else {
		err = errors.Join(err, r.print(c.App.Writer))
	}
	if len(r.Failures) > 0 {
		first := &r.Failures[0]
		err = errors.Join(fmt.Errorf("swarm: seed %d failed: %w; again by: %s", first.Seed, &first.Failure, first.Replay), err)
	}
	return err
}

func writeSwarm(path string, r *swarmReport) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(printJSON(f, r), f.Close())
}
