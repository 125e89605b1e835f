package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

func compareCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const what, output = "what is compared", "output"
	where := "where it runs"
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
				"fagus compare matmul --n 512 --nodes 64 --json | jq .claims",
			HideHelpCommand: true,
			OnUsageError:    usage,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "n", Category: what, Value: "256,512,1024", Usage: "`SIZES` of the generated matrices, with commas between"},
				&cli.StringFlag{Name: "versions", Category: what, DefaultText: "all", Usage: "only these `NAMES`, with commas between: " + versionNames(versions())},
				&cli.IntFlag{Name: "repeat", Category: what, DefaultText: "1 in virtual time, which is exact; else 5", Usage: "medians of so many `RUNS`"},
				&cli.StringFlag{Name: "out", Category: output, Usage: "write index.html, compare.json and figures to folder `DIR`, which is made if missing"},
				&cli.BoolFlag{Name: "json", Category: output, Usage: "print one JSON document, schema " + compareSchema},
				&cli.IntFlag{Name: "nodes", Category: where, Value: 2, Usage: "number of `NODES`"},
				&cli.StringFlag{Name: "net", Category: where, Value: netDIMMnet1, Usage: netUsage},
				&cli.StringFlag{Name: "env", Category: where, Value: sim.DefaultEnv, Usage: "machine of a simulated network: " + strings.Join(sim.Envs(), ", ")},
				&cli.Uint64Flag{Name: "seed", Category: where, Usage: "random input comes from `SEED`; other than 0 it also gives random delays in a simulated network, to each repetition others"},
				timeoutFlag(where),
			},
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
	versions []version
	sizes    []int // rising
	repeat   int
	place    placement // without what the versions set
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
	if err := checkPlacement(c); err != nil {
		return nil, err
	}
	e := &sideBySide{
		repeat: c.Int("repeat"),
		place:  placement{nodes: c.Int("nodes"), mode: fagus.Phase, net: c.String("net"), env: c.String("env"), seed: c.Uint64("seed")},
	}
	if e.place.nodes > mostRings {
		return nil, usagef("--nodes %d: more than %d take hours", e.place.nodes, mostRings)
	}
	if e.repeat < 0 || c.IsSet("repeat") && e.repeat == 0 {
		return nil, usagef("--repeat %d: want at least 1", e.repeat)
	}
	var err error
	if e.sizes, err = parseSizes(c.String("n")); err != nil {
		return nil, err
	}
	if e.versions, err = pickVersions(versions(), c.String("versions")); err != nil {
		return nil, err
	}
	if err := e.place.connect(false); err != nil { // finds mistakes now
		return nil, err
	}
	if e.repeat == 0 {
		e.repeat = 5
		if e.place.network.Clock() == dimmnet.Virtual {
			e.repeat = 1
		}
	}
	return e, nil
}

// parseSizes reads numbers with commas between, and sorts them.
func parseSizes(s string) (sizes []int, err error) {
	for _, item := range strings.Split(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(item))
		if err != nil {
			return nil, usagef("--n %q: want numbers with commas between", s)
		}
		cfg := matmul.Square(n)
		if err := cfg.Validate(); err != nil {
			return nil, &usageError{err}
		}
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes), nil
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

// run runs every version with every size, in turn, as often as it shall: so what
// disturbs the machine for a while disturbs all versions. Another one begins each
// time.
func (e *sideBySide) run(ctx context.Context) (*comparison, error) {
	type cell struct{ size, version int }
	runs := make(map[cell][]*runReport)
	for round := range e.repeat {
		for size, n := range e.sizes {
			for i := range e.versions {
				at := cell{size, (i + round) % len(e.versions)}
				r, err := e.runOnce(ctx, e.versions[at.version], n, round)
				if err != nil {
					return nil, fmt.Errorf("%s with n = %d: %w", e.versions[at.version].name, n, err)
				}
				runs[at] = append(runs[at], r)
			}
		}
	}
	c := &comparison{
		Schema: compareSchema, App: "matmul", Nodes: e.place.nodes, Net: e.place.net, Env: e.place.env, Seed: e.place.seed,
		Clock: e.place.network.Clock(), Repeat: e.repeat, Sizes: e.sizes,
	}
	for _, v := range e.versions {
		c.Versions = append(c.Versions, comparedVersion{v.name, v.about, v.role})
	}
	for size := range e.sizes {
		for i, v := range e.versions {
			c.Results = append(c.Results, sum(v.name, runs[cell{size, i}]))
		}
	}
	c.Claims = claims(c)
	return c, nil
}

// runOnce runs one version with one size. The trace of the first run with the
// largest size is kept.
func (e *sideBySide) runOnce(ctx context.Context, v version, n, round int) (*runReport, error) {
	p := e.place
	if p.seed != 0 {
		p.seed += uint64(round)
	}
	v.set(&p)
	keep := round == 0 && n == e.sizes[len(e.sizes)-1]
	if err := p.connect(keep); err != nil {
		return nil, err
	}
	cfg := matmul.Square(n)
	cfg.Seed = p.seed
	r, err := productJob(cfg, nil).verified(ctx, &p, e.progress)
	if len(p.trace) > 0 {
		e.timelines = append(e.timelines, timeline{v.name, p.trace})
	}
	return r, err
}
