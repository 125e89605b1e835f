package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/apps/matrix"
	"github.com/fagus-dsm/fagus/fagus"
)

func matmulCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input, output = "the product", "output"
	flags := []cli.Flag{
		&cli.IntFlag{Name: "n", Category: input, Value: 512, Usage: "multiply two generated `N` x N matrices"},
		&cli.StringFlag{Name: "a", Category: input, Usage: "read A from `FILE` (.mtx or .npy); with --b"},
		&cli.StringFlag{Name: "b", Category: input, Usage: "read B from `FILE` (.mtx or .npy); with --a"},
		&cli.StringFlag{Name: "type", Category: input, Value: "float64", Usage: "element type: float64 or float32"},
		&cli.StringFlag{Name: "sync", Category: input, Value: "row", Usage: "one sync variable a row, or one for the rows of a rank"},
		&cli.StringFlag{Name: "out", Category: output, Usage: "write C to `FILE` (.mtx or .npy)"},
		&cli.BoolFlag{Name: "json", Category: output, Usage: "print one JSON document, schema " + runSchema},
		&cli.StringFlag{Name: "timeline", Category: output, Usage: "draw every rank's phases to `FILE` (.svg, .png or .pdf); simulated networks only"},
	}
	return &cli.Command{
		Name:  "matmul",
		Usage: "C = A x B, cyclic rows, B at rank 0",
		UsageText: "fagus run matmul [flags]\n\n" +
			"fagus run matmul                                     512 x 512 on 2 simulated nodes\n" +
			"fagus run matmul --n 1024 --nodes 8 --sync rank      fewer sync variables\n" +
			"fagus run matmul --net inproc --nodes 2              real goroutines, wall time\n" +
			"fagus run matmul --net inproc --mode threaded       helper threads in place of phases\n" +
			"fagus run matmul --a a.mtx --b b.npy --out c.mtx     files: Matrix Market, NumPy\n" +
			"fagus run matmul --n 64 --timeline phases.svg        a picture of the phases",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags:           append(flags, placementFlags()...),
		Action:          runMatmul,
	}
}

// matmulConfig reads the flags and the input files.
func matmulConfig(ctx context.Context, c *cli.Context) (matmul.Config, error) {
	cfg := matmul.Square(c.Int("n"))
	cfg.Seed = c.Uint64("seed")
	cfg.Sync = matmul.Sync(c.String("sync"))
	switch t := c.String("type"); t {
	case "float64":
	case "float32":
		cfg.Float32 = true
	default:
		return cfg, usagef("--type %q: want float64 or float32", t)
	}
	a, b := c.String("a"), c.String("b")
	if (a == "") != (b == "") {
		return cfg, usagef("--a and --b go together")
	}
	if a != "" {
		if c.IsSet("n") {
			return cfg, usagef("--n is the size of generated matrices: use it without --a and --b")
		}
		ma, err := readMatrix(ctx, a)
		if err != nil {
			return cfg, err
		}
		mb, err := readMatrix(ctx, b)
		if err != nil {
			return cfg, err
		}
		if ma.Cols != mb.Rows {
			return cfg, usagef("A is %d x %d and B %d x %d: A must have as many columns as B has rows", ma.Rows, ma.Cols, mb.Rows, mb.Cols)
		}
		cfg.A, cfg.B = &ma, &mb
		cfg.M, cfg.K, cfg.N = ma.Rows, ma.Cols, mb.Cols
	}
	if err := cfg.Validate(); err != nil {
		return cfg, &usageError{err}
	}
	if c.String("out") != "" && cfg.M > matrix.MaxElements/cfg.N {
		return cfg, usagef("--out: C is %d x %d, a file holds up to %d elements", cfg.M, cfg.N, matrix.MaxElements)
	}
	return cfg, nil
}

// readMatrix reads a file, and gives up when ctx ends: a pipe may never say
// anything.
func readMatrix(ctx context.Context, path string) (matrix.Dense, error) {
	type reading struct {
		m   matrix.Dense
		err error
	}
	done := make(chan reading, 1)
	go func() {
		m, err := matrix.Read(path)
		done <- reading{m, err}
	}()
	select {
	case r := <-done:
		return r.m, r.err
	case <-ctx.Done():
		return matrix.Dense{}, fmt.Errorf("while reading %s: %w", path, ctx.Err())
	}
}

func runMatmul(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q", c.Args().First())
	}
	out, timeline := c.String("out"), c.String("timeline")
	if err := checkWritable(c, "out", matrix.CheckName); err != nil {
		return err
	}
	if err := checkWritable(c, "timeline", checkFigureName); err != nil {
		return err
	}
	p, err := place(c, timeline != "")
	if err != nil {
		return err
	}
	if timeline != "" && p.sim == nil {
		return usagef("--timeline needs the trace of a simulated network: use --net %s", netDIMMnet1)
	}
	ctx, cancel := withLimit(c.Context, p.limit)
	defer cancel()
	cfg, err := matmulConfig(ctx, c)
	if err != nil {
		return err
	}
	bar := newProgress(c.App.ErrWriter, "rows", cfg.M)
	cfg.Progress = bar.add
	r, product, err := multiply(ctx, p, cfg)
	bar.stop()
	if err != nil {
		return err
	}
	return finishRun(c, r, func() error {
		if out != "" {
			if err := matrix.Write(out, *product); err != nil {
				return err
			}
		}
		if timeline != "" {
			return drawTimeline(timeline, p.nodes, p.trace)
		}
		return nil
	})
}

// multiply runs the program where p says, and tells whether the product is right.
func multiply(ctx context.Context, p *placement, cfg matmul.Config) (*runReport, *matrix.Dense, error) {
	var result matmul.Result
	report, err := fagus.Run(ctx, p.config(), func(n *fagus.Node) error {
		r, err := matmul.Run(n, cfg)
		if n.Rank() == 0 {
			result = r
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	r := newRunReport("matmul", p, report)
	r.N, r.Size = cfg.N, productText(cfg)
	r.Check, r.Verified = result.Check, result.Check.OK()
	return r, result.C, nil
}

// multiplied is multiply for those who can do nothing with a wrong product.
func multiplied(ctx context.Context, p *placement, cfg matmul.Config) (*runReport, error) {
	r, _, err := multiply(ctx, p, cfg)
	if err == nil && !r.Verified {
		err = fmt.Errorf("verification failed on %v: %s is %.3g, the limit is %.3g", p, r.Check.Name, r.Check.Value, r.Check.Limit)
	}
	return r, err
}

// productText says in words what is multiplied.
func productText(cfg matmul.Config) string {
	element, sync := "float64", matmul.Row
	if cfg.Float32 {
		element = "float32"
	}
	if cfg.Sync != "" {
		sync = cfg.Sync
	}
	return fmt.Sprintf("%d x %d times %d x %d, %s, a sync variable a %s", cfg.M, cfg.K, cfg.K, cfg.N, element, sync)
}

// finishRun writes files if the result is right, prints the report, and turns a
// wrong result into an error. Files come first: whoever reads the report may
// stop reading, which ends the process.
func finishRun(c *cli.Context, r *runReport, write func() error) error {
	var err error
	if r.Verified {
		err = write()
	} else {
		err = fmt.Errorf("verification failed: %s is %.3g, the limit is %.3g; no file was written", r.Check.Name, r.Check.Value, r.Check.Limit)
	}
	if c.Bool("json") {
		return errors.Join(err, printJSON(c.App.Writer, r))
	}
	return errors.Join(err, r.print(c.App.Writer))
}

// checkWritable finds out before a long run that the file of a flag cannot be
// written after it.
func checkWritable(c *cli.Context, flag string, checkName func(string) error) error {
	if !c.IsSet(flag) {
		return nil
	}
	path := c.String(flag)
	if err := checkName(path); err != nil {
		return usagef("--%s: %w", flag, err)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return usagef("--%s %s: not a regular file", flag, path)
	}
	return checkFolder(filepath.Dir(path))
}

// checkFolder finds out whether files can be made in dir.
func checkFolder(dir string) error {
	f, err := os.CreateTemp(dir, ".fagus-*")
	if err != nil {
		var errno syscall.Errno
		errors.As(err, &errno)
		return fmt.Errorf("cannot write to folder %s: %w", dir, errno)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
