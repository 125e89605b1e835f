package swarm

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
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const (
	// Limits of a campaign without --seeds and --seconds. It ends at the first limit.
	defaultSeeds   = 1000
	defaultSeconds = 60
)

// Command returns the command fagus lab swarm.
func Command() *cli.Command {
	const which = "which cases"
	return &cli.Command{
		Name: "swarm", Usage: "run random programs under random faults in virtual time, and verify every run",
		UsageText: `fagus lab swarm [flags]

fagus lab swarm                                 1000 seeds, or 60 s of them
fagus lab swarm --seconds 300 --out swarm.json  a campaign
fagus lab swarm --kinds pause,partition         these faults alone
fagus lab swarm --cycles --seconds 10           programs whose steps repeat, with lists over a tree
fagus lab swarm --seed 1234 --seeds 1 --verbose  one case again, with all its steps
fagus lab swarm --case swarm.json               the first failed case of a campaign, shrunk`,
		Flags: []cli.Flag{
			&cli.Uint64Flag{Name: "seed", Category: which, Value: 1, Usage: "the `FIRST` seed; each seed selects a program, an engine, a network and faults"},
			&cli.Uint64Flag{Name: "seeds", Category: which, DefaultText: "1000; any with --seconds", Usage: "`N` seeds"},
			&cli.Float64Flag{Name: "seconds", Category: which, DefaultText: "60; any with --seeds", Usage: "stop after `S` seconds of machine time"},
			&cli.StringFlag{Name: "kinds", Category: which, DefaultText: "all", Usage: "only these `FAULTS`, with commas between: " + kindNames()},
			&cli.BoolFlag{Name: "cycles", Category: which, Usage: "programs whose steps repeat, in phase mode with lists over a tree, on 2 to 21 nodes; ranks deviate now and then"},
			&cli.StringFlag{Name: "case", Category: which, Usage: "run the case in `FILE` instead: one as JSON, or a document of --out"},
			&cli.IntFlag{Name: "shrink", Category: base.OutputCategory, Value: 1000, Usage: "shrink a case that fails in at most `N` runs; 0: keep it as it is"},
			&cli.BoolFlag{Name: "verbose", Category: base.OutputCategory, Usage: "print every case and its outcome"},
			base.JSONFlag(schema),
			&cli.StringFlag{Name: "out", Category: base.OutputCategory, Usage: "write the JSON document to `FILE`"},
		},
		Action: base.NoArgs(runCampaign),
	}
}

func kindNames() string {
	return strings.Join(base.Map(swarm.Kinds(), func(kind swarm.Kind) string { return string(kind) }), ", ")
}

type campaign struct {
	first   uint64
	seeds   uint64        // number of seeds; 0: no limit
	limit   time.Duration // limit of wall-clock time; 0: no limit
	kinds   []swarm.Kind  // kinds of faults; nil: all kinds
	names   string        // the text of --kinds
	cycles  bool          // programs whose steps repeat
	only    *swarm.Case   // the case of --case; nil: the cases of the seeds
	path    string        // the file of --case
	workers int
	tries   int                              // the maximum number of runs to shrink a case
	print   func(format string, args ...any) // prints a case with --verbose; nil without it
}

func newCampaign(c *cli.Context) (*campaign, error) {
	p := &campaign{first: c.Uint64("seed"), seeds: c.Uint64("seeds"), names: c.String("kinds"), cycles: c.Bool("cycles"), path: c.String("case"), workers: runtime.NumCPU(), tries: c.Int("shrink")}
	seconds := c.Float64("seconds")
	if c.IsSet("seeds") && p.seeds == 0 {
		return nil, usage.Errorf("--seeds 0: want at least 1")
	}
	if p.tries < 0 {
		return nil, usage.Errorf("--shrink %d: want 0 or more", p.tries)
	}
	if c.IsSet("seconds") && !(seconds > 0 && seconds < 1e8) {
		return nil, usage.Errorf("--seconds %v: want more than 0, and less than 3 years", seconds)
	}
	if !c.IsSet("seeds") && !c.IsSet("seconds") {
		p.seeds, seconds = defaultSeeds, defaultSeconds
	}
	p.limit = time.Duration(seconds * float64(time.Second))
	if p.names != "" {
		for name := range strings.SplitSeq(p.names, ",") {
			kind := swarm.Kind(strings.TrimSpace(name))
			if !slices.Contains(swarm.Kinds(), kind) {
				return nil, usage.Errorf("--kinds: no fault %q: want some of %s", kind, kindNames())
			}
			p.kinds = append(p.kinds, kind)
		}
	}
	if c.IsSet("case") {
		for _, flag := range []string{"seed", "seeds", "seconds", "kinds", "cycles"} {
			if c.IsSet(flag) {
				return nil, usage.Errorf("--%s selects seeds: use it without --case", flag)
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
			fmt.Fprintf(c.App.Writer, format, args...) // the Writer keeps its error for main
		}
	}
	return p, nil
}

// readCase reads a file with a case, or the first failed case in a document of --out.
func readCase(path string) (*swarm.Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var document struct {
		swarm.Case
		Schema   string    `json:"schema"`
		Failures []failure `json:"failures"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, usage.Errorf("--case %s: %w", path, err)
	}
	only := &document.Case
	if document.Schema == schema {
		if len(document.Failures) == 0 {
			return nil, usage.Errorf("--case %s: want a document with a failed case", path)
		}
		only = &document.Failures[0].Shrunk
	}
	if err := only.Check(); err != nil {
		return nil, usage.Errorf("--case %s: %w", path, err)
	}
	return only, nil
}

func (p *campaign) at(seed uint64) swarm.Case {
	if p.only != nil {
		return *p.only
	}
	if p.cycles {
		return swarm.NewCycles(seed, p.kinds)
	}
	return swarm.New(seed, p.kinds)
}

func (p *campaign) replay(seed uint64) string {
	if p.only != nil {
		return "fagus lab swarm --case " + p.path + " --verbose"
	}
	text := fmt.Sprintf("fagus lab swarm --seed %d --seeds 1 --verbose", seed)
	if p.kinds != nil {
		text += " --kinds " + strings.ReplaceAll(p.names, " ", "")
	}
	if p.cycles {
		text += " --cycles"
	}
	return text
}

// run runs cases on all processors. It starts no case after the last seed, after a failure, after
// the time limit or after the end of ctx, and it finishes the cases that have begun.
func (p *campaign) run(ctx context.Context, r *report, bar func(int)) error {
	begun := time.Now()
	var mu sync.Mutex
	shown := 0
	more := func(i int) bool {
		mu.Lock()
		defer mu.Unlock()
		over := p.seeds > 0 && uint64(i) == p.seeds || p.limit > 0 && time.Since(begun) >= p.limit
		return !over && len(r.Failures) == 0
	}
	err := experiment.Crowd(ctx, p.workers, more, func(ctx context.Context, i int) error {
		c := p.at(p.first + uint64(i))
		o, err := c.Run(ctx)
		if err != nil {
			return err
		}
		if p.print != nil {
			p.print("%v%s\n\n", c, outcomeText(&o))
		}
		done := 1
		mu.Lock()
		r.add(&c, &o)
		if p.seeds == 0 { // the bar's steps are seconds
			now := int(time.Since(begun).Seconds())
			done, shown = now-shown, now
		}
		mu.Unlock()
		bar(done)
		return nil
	})
	r.MachineS = time.Since(begun).Seconds()
	return err
}

func (p *campaign) shrink(ctx context.Context, r *report, stderr io.Writer) error {
	slices.SortFunc(r.Failures, func(a, b failure) int { return cmp.Compare(a.Seed, b.Seed) })
	for i := range r.Failures {
		f := &r.Failures[i]
		f.Replay = p.replay(f.Seed)
		if p.tries > 0 {
			fmt.Fprintf(stderr, "seed %d failed (%s): shrinking it in at most %d runs\n", f.Seed, f.Failure.Kind, p.tries)
		}
		small, failure, err := f.whole.Shrink(ctx, &f.Failure, p.tries)
		if err != nil {
			return err
		}
		f.Shrunk, f.ShrunkFailure = small, *failure
	}
	return nil
}

func runCampaign(c *cli.Context) error {
	if err := base.CheckWritable(c, "out", func(string) error { return nil }); err != nil {
		return err
	}
	p, err := newCampaign(c)
	if err != nil {
		return err
	}
	r := newReport(p)
	unit, units := "cases", int(min(p.seeds, 1<<30))
	if p.seeds == 0 {
		unit, units = "seconds", int(p.limit.Seconds())
	}
	bar := base.NewProgress(c.App.ErrWriter, unit, units)
	err = p.run(c.Context, r, bar.Add)
	bar.Stop()
	if err == nil {
		err = p.shrink(c.Context, r, c.App.ErrWriter)
	}
	if err != nil {
		if p.only != nil && c.Context.Err() == nil {
			return usage.Wrap(err)
		}
		return err
	}
	if path := c.String("out"); path != "" {
		err = base.SaveJSON(path, r)
	}
	err = errors.Join(err, base.PrintText(c, r, r.text))
	if len(r.Failures) > 0 {
		first := &r.Failures[0]
		err = errors.Join(fmt.Errorf("swarm: seed %d failed: %w; again by: %s", first.Seed, &first.Failure, first.Replay), err)
	}
	return err
}
