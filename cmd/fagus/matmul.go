package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

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
			"fagus run matmul --a a.mtx --b b.npy --out c.mtx     files: Matrix Market, NumPy\n" +
			"fagus run matmul --n 64 --timeline phases.svg        a picture of the phases",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags:           append(flags, placementFlags()...),
		Action:          runMatmul,
	}
}

// matmulConfig reads the flags and the input files.
func matmulConfig(c *cli.Context) (matmul.Config, error) {
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
		ma, err := readMatrix(a)
		if err != nil {
			return cfg, err
		}
		mb, err := readMatrix(b)
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
		return cfg, &exitError{exitUsage, err}
	}
	return cfg, nil
}

func readMatrix(path string) (matrix.Dense, error) {
	m, err := matrix.Read(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		err = &exitError{exitEnvironment, err}
	}
	return m, err
}

func runMatmul(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q", c.Args().First())
	}
	out, timeline := c.String("out"), c.String("timeline")
	if err := checkWritable(out, matrix.CheckName); err != nil {
		return err
	}
	if err := checkWritable(timeline, checkFigureName); err != nil {
		return err
	}
	p, err := place(c, timeline != "")
	if err != nil {
		return err
	}
	if timeline != "" && p.sim == nil {
		return usagef("--timeline needs the trace of a simulated network: use --net %s", netDIMMnet1)
	}
	cfg, err := matmulConfig(c)
	if err != nil {
		return err
	}
	ctx := c.Context
	if limit := c.Duration("timeout"); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	bar := newProgress(c.App.ErrWriter, "rows", cfg.M)
	cfg.Progress = bar.add
	var result matmul.Result
	report, err := fagus.Run(ctx, p.config(), func(n *fagus.Node) error {
		r, err := matmul.Run(n, cfg)
		if n.Rank() == 0 {
			result = r
		}
		return err
	})
	bar.stop()
	if err != nil {
		return err
	}
	r := newRunReport("matmul", p, report)
	r.N, r.Size = cfg.N, fmt.Sprintf("%d x %d times %d x %d, %s, a sync variable a %s", cfg.M, cfg.K, cfg.K, cfg.N, c.String("type"), cfg.Sync)
	r.Check, r.Verified = result.Check, result.Check.OK()
	return finishRun(c, r, func() error {
		if out != "" {
			if err := matrix.Write(out, *result.C); err != nil {
				return err
			}
		}
		if timeline != "" {
			return drawTimeline(timeline, p.nodes, p.trace)
		}
		return nil
	})
}

// finishRun prints the report, writes files if the result is right, and turns
// a wrong one into an error.
func finishRun(c *cli.Context, r *runReport, write func() error) error {
	print := r.print
	if c.Bool("json") {
		print = r.printJSON
	}
	if err := print(c.App.Writer); err != nil {
		return err
	}
	if !r.Verified {
		return &exitError{exitFailed, fmt.Errorf("verification failed: %s is %.3g, the limit is %.3g; no file was written", r.Check.Name, r.Check.Value, r.Check.Limit)}
	}
	return write()
}

// checkWritable finds out before a long run that a file cannot be written
// after it.
func checkWritable(path string, checkName func(string) error) error {
	if path == "" {
		return nil
	}
	if err := checkName(path); err != nil {
		return &exitError{exitUsage, err}
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &exitError{exitEnvironment, fmt.Errorf("%s is a folder", path)}
	}
	f, err := os.CreateTemp(folder(path), ".fagus-*")
	if err != nil {
		return &exitError{exitEnvironment, fmt.Errorf("cannot write %s: %w", path, err)}
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
