package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

func compareCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const what, output = "what is compared", "output"
	return &cli.Command{
		Name:            "compare",
		Usage:           "run a program in all versions of Fagus, and hold the paper's claims against it",
		UsageText:       "fagus compare PROGRAM [flags]",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Action:          group("program", "fagus compare"),
		Subcommands: []*cli.Command{{
			Name:  "matmul",
			Usage: "C = A x B, cyclic rows, B at rank 0",
			UsageText: "fagus compare matmul [flags]\n\n" +
				"fagus compare matmul                                 256, 512 and 1024 on 2 simulated nodes\n" +
				"fagus compare matmul --n 512,1024,2048 --out report  figures and a page to look at, too\n" +
				"fagus compare matmul --n 512,1024 --net inproc       real goroutines, medians of 5 runs\n" +
				"fagus compare matmul --sync rank                     few variables, of much data each\n" +
				"fagus compare matmul --loss 0.01 --seed 1            UDP-Fagus on a network that loses datagrams\n" +
				"fagus compare matmul --n 512 --nodes 16 --json | jq .claims",
			HideHelpCommand: true,
			OnUsageError:    usage,
			Flags: append([]cli.Flag{
				&cli.StringFlag{Name: "n", Category: what, Value: "256,512,1024", Usage: "`SIZES` of the generated matrices, with commas between"},
				&cli.StringFlag{Name: "sync", Category: what, Value: string(matmul.Row), Usage: "one sync variable a row, or one for the rows of a rank"},
				&cli.StringFlag{Name: "out", Category: output, Usage: "write index.html, compare.json and figures to folder `DIR`, which is made if missing"},
				&cli.BoolFlag{Name: "json", Category: output, Usage: "print one JSON document, schema " + compareSchema},
			}, contestFlags(what)...),
			Action: runCompare,
		}},
	}
}

func runCompare(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q", c.Args().First())
	}
	e, err := newSideBySide(c)
	if err != nil {
		return err
	}
	dir := c.String("out")
	if c.IsSet("out") {
		if err := makeFolder(dir); err != nil {
			return err
		}
	}
	bar := newProgress(c.App.ErrWriter, "rows", e.rows())
	e.progress = bar.add
	ctx, cancel := withLimit(c.Context, c.Duration("timeout"))
	defer cancel()
	result, err := e.run(ctx)
	bar.stop()
	if err != nil {
		return err
	}
	if dir != "" {
		if err := writeComparison(dir, result, e.timelines); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, result)
	}
	return result.print(c.App.Writer)
}

// sideBySide is a comparison that is still to be run.
type sideBySide struct {
	contest
	sizes    []int // rising
	sync     matmul.Sync
	progress func(rows int)

	timelines []timeline // of the largest size, a version each, if there is a trace
}

// timeline is what the ranks of one run did when.
type timeline struct {
	version string
	trace   []sim.Record
}

// newSideBySide reads the flags.
func newSideBySide(c *cli.Context) (*sideBySide, error) {
	contest, err := newContest(c)
	if err != nil {
		return nil, err
	}
	e := &sideBySide{contest: *contest, sync: matmul.Sync(c.String("sync"))}
	if e.sizes, err = parseCounts("n", c.String("n")); err != nil {
		return nil, err
	}
	for _, n := range e.sizes {
		cfg := e.product(n)
		if err := cfg.Validate(); err != nil {
			return nil, &usageError{err}
		}
	}
	return e, nil
}

// product is what is computed with one size.
func (e *sideBySide) product(n int) matmul.Config {
	cfg := matmul.Square(n)
	cfg.Sync = e.sync
	return cfg
}

// makeFolder makes dir, if it is missing, and finds out whether files can be made
// in it.
func makeFolder(dir string) error {
	if dir == "" {
		return usagef("--out: want the name of a folder")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return usagef("--out %s: not a folder", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		var errno syscall.Errno
		errors.As(err, &errno)
		return fmt.Errorf("cannot make folder %s: %w", dir, errno)
	}
	return checkFolder(dir)
}

// rows is how many rows all runs together compute.
func (e *sideBySide) rows() (rows int) {
	for _, n := range e.sizes {
		rows += n * len(e.versions) * e.repeat
	}
	return rows
}

// run runs every version with every size.
func (e *sideBySide) run(ctx context.Context) (*comparison, error) {
	runs, err := e.inTurn(len(e.sizes), func(p *placement, v version, at, round int) (*runReport, error) {
		r, err := e.runOnce(ctx, p, v, e.sizes[at], round)
		if err != nil {
			return nil, fmt.Errorf("%s with n = %d: %w", v.name, e.sizes[at], err)
		}
		return r, nil
	})
	if err != nil {
		return nil, err
	}
	c := &comparison{Schema: compareSchema, setting: e.setting("matmul"), Sync: e.sync, Sizes: e.sizes}
	for _, v := range e.versions {
		c.Versions = append(c.Versions, comparedVersion{v.name, v.about, v.role, v.notices()})
	}
	for size := range e.sizes {
		for i, v := range e.versions {
			c.Results = append(c.Results, sum(v.name, runs[size][i]))
		}
	}
	c.Claims = claims(c)
	return c, nil
}

// runOnce runs one version with one size. The trace of the first run with the
// largest size is kept.
func (e *sideBySide) runOnce(ctx context.Context, p *placement, v version, n, round int) (*runReport, error) {
	keep := round == 0 && n == e.sizes[len(e.sizes)-1]
	if err := p.connect(keep); err != nil {
		return nil, err
	}
	cfg := e.product(n)
	cfg.Seed = p.seed
	r, err := productJob(cfg, nil).verified(ctx, p, e.progress)
	if len(p.trace) > 0 {
		e.timelines = append(e.timelines, timeline{v.name, p.trace})
	}
	return r, err
}
