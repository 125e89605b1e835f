package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/internal/matrix"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func matmulProgram() Program {
	return Program{Name: "matmul", About: "C = A x B, cyclic rows, B at rank 0", VerifiedBy: "Freivalds' check, or a plain product for small ones",
		Examples: `
fagus run matmul                                    512 x 512 on 2 simulated nodes
fagus run matmul --n 1024 --nodes 8 --sync rank     fewer sync variables
fagus run matmul --net inproc --nodes 2             real goroutines, wall time
fagus run matmul --net inproc --mode threaded       locks instead of phases
fagus run matmul --net shm --nodes 2                processes of this host, one copy of every array
fagus run matmul --net tcp --nodes 4 --hosts a,b    processes of two hosts, by ssh, encrypted
fagus run matmul --net udp100 --mode threaded --loss 0.05 --seed 1
fagus run matmul --a a.mtx --b b.npy --out c.mtx    files of Matrix Market and NumPy: see fagus data
fagus run matmul --n 64 --timeline phases.svg       a picture of the phases`,
		Flags: under("the product",
			&cli.IntFlag{Name: "n", Value: 512, Usage: "multiply two generated `N` x N matrices"},
			&cli.StringFlag{Name: "a", Usage: "read A from `FILE` (.mtx or .npy); with --b"},
			&cli.StringFlag{Name: "b", Usage: "read B from `FILE` (.mtx or .npy); with --a"},
			&cli.StringFlag{Name: "type", Value: "float64", Usage: "element type: float64 or float32"},
			&cli.StringFlag{Name: "sync", Value: string(matmul.Row), Usage: "one sync variable per row, one per rank for all of its rows, or as in the paper, by rank for A and by row for C: row, rank or paper"},
			outFlag("C", ".mtx or .npy"),
		),
		CheckOut: matrix.CheckName,
		Prepare:  prepareMatmul,
	}
}

func prepareMatmul(f Flags) (*Job, error) {
	cfg, err := matmulConfig(f)
	if err != nil {
		return nil, err
	}
	a, b := f.String("a"), f.String("b")
	if a == "" {
		return matmulJob(cfg, f.String("out")), nil
	}
	j := &Job{Inputs: []string{a, b}}
	j.Open = func(ctx context.Context) error {
		cfg, err := readFactors(ctx, f, cfg)
		if err == nil {
			*j = *matmulJob(cfg, f.String("out"))
		}
		return err
	}
	return j, nil
}

func matmulConfig(f Flags) (matmul.Config, error) {
	cfg := matmul.Square(f.Int("n"))
	cfg.Seed = f.Seed
	cfg.Sync = matmul.Sync(f.String("sync"))
	switch t := f.String("type"); t {
	case "float64":
	case "float32":
		cfg.Float32 = true
	default:
		return cfg, usage.Errorf("--type %q: want float64 or float32", t)
	}
	if (f.String("a") == "") != (f.String("b") == "") {
		return cfg, usage.Errorf("--a and --b: want both or neither")
	}
	if f.String("a") != "" && f.IsSet("n") {
		return cfg, usage.Errorf("--n is the size of generated matrices: use it without --a and --b")
	}
	return cfg, checkMatmul(f, cfg)
}

// checkMatmul returns an error if the product cannot be computed, or is too large for its file.
func checkMatmul(f Flags, cfg matmul.Config) error {
	if err := cfg.Validate(); err != nil {
		return usage.Wrap(err)
	}
	if f.String("out") != "" && cfg.M > matrix.MaxElements/cfg.N {
		return usage.Errorf("--out: C is %d x %d: want at most %d elements in a file", cfg.M, cfg.N, matrix.MaxElements)
	}
	return nil
}

func readFactors(ctx context.Context, f Flags, cfg matmul.Config) (matmul.Config, error) {
	a, err := readMatrix(ctx, f.String("a"))
	if err != nil {
		return cfg, err
	}
	b, err := readMatrix(ctx, f.String("b"))
	if err != nil {
		return cfg, err
	}
	if a.Cols != b.Rows {
		return cfg, usage.Errorf("A is %d x %d and B %d x %d: A must have as many columns as B has rows", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	for i, m := range []matrix.Dense{a, b} { // no product of others can be verified
		if at := slices.IndexFunc(m.Data, func(x float64) bool { return x-x != 0 }); at >= 0 {
			return cfg, usage.Errorf("%s: element %d of row %d is %v: want finite numbers", f.String("ab"[i:i+1]), at%m.Cols+1, at/m.Cols+1, m.Data[at])
		}
	}
	cfg.A, cfg.B = &a, &b
	cfg.M, cfg.K, cfg.N = a.Rows, a.Cols, b.Cols
	return cfg, checkMatmul(f, cfg)
}

// matmulJob returns the job for a product. It writes C to the file out, unless out is empty.
func matmulJob(cfg matmul.Config, out string) *Job {
	var product *matrix.Dense
	j := productJob(cfg, func(m *matrix.Dense) { product = m })
	if out != "" {
		j.Write = func() error { return matrix.Write(out, *product) }
	}
	return j
}

// Product returns the job for a product of generated matrices. The job writes no file.
func Product(cfg matmul.Config) *Job { return productJob(cfg, func(*matrix.Dense) {}) }

// productJob returns the job for a product. Rank 0 calls keep with C.
func productJob(cfg matmul.Config, keep func(*matrix.Dense)) *Job {
	return jobOf(code[matmul.Config, matmul.Result]{
		config: cfg, progress: func(c *matmul.Config) *func(int) { return &c.Progress },
		plain: func(cfg matmul.Config, timed verify.Timer) (matmul.Result, error) { return matmul.Plain(cfg, timed) },
		run: func(n *fagus.Node, cfg matmul.Config) (matmul.Result, error) {
			r, err := matmul.Run(n, cfg)
			if n.Rank() != 0 {
				r.C = nil
			}
			return r, err
		},
		outcome: func(r matmul.Result) Outcome {
			if r.C != nil {
				keep(r.C)
			}
			return Outcome{Verification: Verification(r.Check), Took: r.Time}
		},
	}, &Job{App: "matmul", N: cfg.N, Memory: productMemory(cfg), Size: productText(cfg), Measured: "product, of the slowest rank", Unit: "rows", Units: cfg.M})
}

// productMemory returns the Job.Memory of a product: the sizes of generated matrices are equal.
func productMemory(cfg matmul.Config) func(n int) int {
	bytes := 8
	if cfg.Float32 {
		bytes = 4
	}
	return func(n int) int {
		m, k := cfg.M, cfg.K
		if cfg.A == nil {
			m, k = n, n
		}
		return capacity.Product(bytes, capacity.Sum(capacity.Product(m, k), capacity.Product(k, n), capacity.Product(m, n)))
	}
}

func productText(cfg matmul.Config) string {
	element, sync := "float64", matmul.Row
	if cfg.Float32 {
		element = "float32"
	}
	if cfg.Sync != "" {
		sync = cfg.Sync
	}
	guarded := "a " + string(sync)
	if sync == matmul.Paper {
		guarded = "a rank for A, a row for C"
	}
	return fmt.Sprintf("%d x %d times %d x %d, %s, a sync variable %s", cfg.M, cfg.K, cfg.K, cfg.N, element, guarded)
}
