package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/apps/catalog/usage"
	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/apps/outfile"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/run"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/internal/runflags"
)

// Command returns the command fagus compare.
func Command() *cli.Command {
	const what = "what is compared"
	return &cli.Command{
		Name: "compare", Usage: "run a program in all versions of Fagus, and judge the paper's claims by the results",
		UsageText: "fagus compare PROGRAM [flags]\n\nfagus compare matmul --out report    a page with figures, and the claims of the paper",
		ArgsUsage: "PROGRAM",
		Subcommands: []*cli.Command{{
			Name: "matmul", Usage: "C = A x B, cyclic rows, B at rank 0",
			UsageText: `fagus compare matmul [flags]

fagus compare matmul                                 256, 512 and 1024 on 2 simulated nodes
fagus compare matmul --n 512,1024,2048 --out report  with figures and a page
fagus compare matmul --n 512,1024 --net inproc       real goroutines, medians of 5 runs
fagus compare matmul --sync rank                     few variables, of much data each
fagus compare matmul --loss 0.01 --seed 1            UDP-Fagus on a network that loses datagrams
fagus compare matmul --n 512 --nodes 16 --json | jq .claims`,
			Flags: append([]cli.Flag{
				&cli.StringFlag{Name: "n", Category: what, Value: "256,512,1024", Usage: "`SIZES` of the generated matrices, with commas between"},
				&cli.StringFlag{Name: "sync", Category: what, Value: string(matmul.Row), Usage: "one sync variable per row, or one per rank for all of its rows: row or rank"},
				&cli.StringFlag{Name: "out", Category: base.OutputCategory, Usage: "write index.html, compare.json and figures to the folder `DIR`, which is created if missing"},
				base.JSONFlag(schema),
			}, contest.Flags(what)...),
			Action: base.NoArgs(compareMatmul),
		}},
	}
}

func compareMatmul(c *cli.Context) error {
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
	bar := base.NewProgress(c.App.ErrWriter, "rows", e.rows())
	e.progress = bar.Add
	ctx, cancel := runflags.WithTimeout(c.Context, e.Config.Timeout)
	defer cancel()
	result, err := e.run(ctx)
	bar.Stop()
	if err != nil {
		return err
	}
	if dir != "" {
		if err := writeComparison(dir, result, e.traces); err != nil {
			return err
		}
	}
	return base.Print(c, result, result.print)
}

// sideBySide is a comparison that has not run yet.
type sideBySide struct {
	*contest.Contest
	sizes    []int // in ascending order
	sync     matmul.Sync
	progress func(rows int)

	traces []trace // one per version for the largest size, if the network keeps a trace
}

type trace struct {
	version string
	records []sim.Record
}

func newSideBySide(c *cli.Context) (*sideBySide, error) {
	t, err := contest.New(c)
	if err != nil {
		return nil, err
	}
	e := &sideBySide{Contest: t, sync: matmul.Sync(c.String("sync"))}
	if e.sizes, err = base.Counts(c, "n"); err != nil {
		return nil, err
	}
	for _, n := range e.sizes {
		cfg := e.product(n)
		if err := cfg.Validate(); err != nil {
			return nil, usage.Wrap(err)
		}
	}
	return e, nil
}

func (e *sideBySide) product(n int) matmul.Config {
	cfg := matmul.Square(n)
	cfg.Sync = e.sync
	return cfg
}

// makeFolder creates dir if it is missing. It returns an error if no file can be created in dir.
func makeFolder(dir string) error {
	if dir == "" {
		return usage.Errorf("--out \"\": want the name of a folder")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return usage.Errorf("--out %s: not a folder", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		var errno syscall.Errno
		errors.As(err, &errno)
		return fmt.Errorf("cannot make folder %s: %w", dir, errno)
	}
	return outfile.CheckFolder(dir)
}

// rows returns the number of matrix rows that all runs together compute.
func (e *sideBySide) rows() (rows int) {
	for _, n := range e.sizes {
		rows += n * len(e.Versions) * e.Repeat
	}
	return rows
}

func (e *sideBySide) run(ctx context.Context) (*comparison, error) {
	runs, err := e.InTurn(len(e.sizes), func(cfg runflags.Config, v contest.Version, item, round int) (*run.Report, error) {
		r, err := e.runOnce(ctx, cfg, v, e.sizes[item], round)
		if err != nil {
			return nil, fmt.Errorf("%s with n = %d: %w", v.Name, e.sizes[item], err)
		}
		return r, nil
	})
	if err != nil {
		return nil, err
	}
	c := &comparison{Schema: schema, Setting: e.Setting("matmul"), Sync: e.sync, Sizes: e.sizes}
	for _, v := range e.Versions {
		c.Versions = append(c.Versions, comparedVersion{v.Name, v.About, v.Role, v.Notices()})
	}
	for size := range e.sizes {
		for i, v := range e.Versions {
			c.Results = append(c.Results, sum(v.Name, runs[size][i]))
		}
	}
	c.Claims = claims(c)
	return c, nil
}

// runOnce runs a version with a size. It keeps the trace of the first run of the largest size.
func (e *sideBySide) runOnce(ctx context.Context, cfg runflags.Config, v contest.Version, n, round int) (*run.Report, error) {
	cfg.KeepTrace = round == 0 && n == e.sizes[len(e.sizes)-1]
	on, err := cfg.Open(ctx)
	if err != nil {
		return nil, err
	}
	product := e.product(n)
	product.Seed = cfg.Seed
	r, err := run.Verified(ctx, catalog.Product(product), on, e.progress)
	if len(on.Trace) > 0 {
		e.traces = append(e.traces, trace{v.Name, on.Trace})
	}
	return r, err
}
