package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/apps/matrix"
	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

func matmulCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const input = "the product"
	flags := []cli.Flag{
		&cli.IntFlag{Name: "n", Category: input, Value: 512, Usage: "multiply two generated `N` x N matrices"},
		&cli.StringFlag{Name: "a", Category: input, Usage: "read A from `FILE` (.mtx or .npy); with --b"},
		&cli.StringFlag{Name: "b", Category: input, Usage: "read B from `FILE` (.mtx or .npy); with --a"},
		&cli.StringFlag{Name: "type", Category: input, Value: "float64", Usage: "element type: float64 or float32"},
		&cli.StringFlag{Name: "sync", Category: input, Value: "row", Usage: "one sync variable a row, or one for the rows of a rank"},
		&cli.StringFlag{Name: "out", Category: outputCategory, Usage: "write C to `FILE` (.mtx or .npy)"},
	}
	return programCommand(usage, &cli.Command{
		Name:  "matmul",
		Usage: "C = A x B, cyclic rows, B at rank 0",
		UsageText: "fagus run matmul [flags]\n\n" +
			"fagus run matmul                                     512 x 512 on 2 simulated nodes\n" +
			"fagus run matmul --n 1024 --nodes 8 --sync rank      fewer sync variables\n" +
			"fagus run matmul --net inproc --nodes 2              real goroutines, wall time\n" +
			"fagus run matmul --net inproc --mode threaded        helper threads in place of phases\n" +
			"fagus run matmul --a a.mtx --b b.npy --out c.mtx     files: Matrix Market, NumPy\n" +
			"fagus run matmul --n 64 --timeline phases.svg        a picture of the phases",
		Flags: flags,
	}, prepareMatmul)
}

// matmulConfig reads the flags.
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
	if (c.String("a") == "") != (c.String("b") == "") {
		return cfg, usagef("--a and --b go together")
	}
	if c.String("a") != "" && c.IsSet("n") {
		return cfg, usagef("--n is the size of generated matrices: use it without --a and --b")
	}
	return cfg, checkMatmul(c, cfg)
}

// checkMatmul reports what cannot be multiplied, or written.
func checkMatmul(c *cli.Context, cfg matmul.Config) error {
	if err := cfg.Validate(); err != nil {
		return &usageError{err}
	}
	if c.String("out") != "" && cfg.M > matrix.MaxElements/cfg.N {
		return usagef("--out: C is %d x %d, a file holds up to %d elements", cfg.M, cfg.N, matrix.MaxElements)
	}
	return nil
}

// readFactors reads the files that the flags name.
func readFactors(ctx context.Context, c *cli.Context, cfg matmul.Config) (matmul.Config, error) {
	a, err := readMatrix(ctx, c.String("a"))
	if err != nil {
		return cfg, err
	}
	b, err := readMatrix(ctx, c.String("b"))
	if err != nil {
		return cfg, err
	}
	if a.Cols != b.Rows {
		return cfg, usagef("A is %d x %d and B %d x %d: A must have as many columns as B has rows", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	cfg.A, cfg.B = &a, &b
	cfg.M, cfg.K, cfg.N = a.Rows, a.Cols, b.Cols
	return cfg, checkMatmul(c, cfg)
}

// readMatrix reads a file, and gives up when ctx ends: a pipe may never say
// anything. What can be read but is no matrix is a mistake in the call.
func readMatrix(ctx context.Context, path string) (matrix.Dense, error) {
	m, err := readInput(ctx, path, matrix.Read)
	if err != nil {
		return m, asUsage(err)
	}
	return m, nil
}

func prepareMatmul(c *cli.Context) (*job, error) {
	if err := checkWritable(c, "out", matrix.CheckName); err != nil {
		return nil, err
	}
	cfg, err := matmulConfig(c)
	if err != nil {
		return nil, err
	}
	if c.String("a") == "" {
		return matmulJob(cfg, c.String("out")), nil
	}
	j := &job{inputs: []string{c.String("a"), c.String("b")}}
	j.open = func(ctx context.Context) error {
		cfg, err := readFactors(ctx, c, cfg)
		if err == nil {
			*j = *matmulJob(cfg, c.String("out"))
		}
		return err
	}
	return j, nil
}

// matmulJob is a product that is to be written to a file, unless that has no name.
func matmulJob(cfg matmul.Config, out string) *job {
	var product *matrix.Dense
	j := productJob(cfg, func(m *matrix.Dense) { product = m })
	if out != "" {
		j.write = func() error { return matrix.Write(out, *product) }
	}
	return j
}

// productJob is a product that is to be computed. keep, if not nil, gets it.
func productJob(cfg matmul.Config, keep func(*matrix.Dense)) *job {
	return &job{
		app: "matmul", n: cfg.N, size: productText(cfg), measured: "product, of the slowest rank", unit: "rows", units: cfg.M,
		run: func(n *fagus.Node, progress func(int)) (outcome, error) {
			cfg := cfg
			cfg.Progress = progress
			r, err := matmul.Run(n, cfg)
			if n.Rank() == 0 && keep != nil {
				keep(r.C)
			}
			return outcome{check: check(r.Check), took: r.Time}, err
		},
		plain: func(timed verify.Timer, progress func(int)) outcome {
			cfg := cfg
			cfg.Progress = progress
			r, err := matmul.Plain(cfg, timed)
			if keep != nil {
				keep(r.C)
			}
			return outcome{check: check(r.Check), took: r.Time, err: err}
		},
	}
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
