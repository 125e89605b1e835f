package bench

import (
	"bufio"
	"context"
	"fmt"
	"github.com/fagus-dsm/fagus/apps/catalog/usage"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
)

const gemmText = "make -C bench blas && fagus bench --gemm           the product on one processor, against OpenBLAS"

const gemmSchema = "fagus.gemm/v1"

func gemmFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "gemm", Category: "with --gemm", Usage: "measure the product of two matrices on one processor, in turns with OpenBLAS"},
		&cli.IntSliceFlag{Name: "orders", Category: "with --gemm", Value: cli.NewIntSlice(256, 512, 1024, 2048), Usage: "`ORDERS` of the matrices"},
	}
}

type gemmReport struct {
	Schema string    `json:"schema"`
	Kernel string    `json:"kernel"`
	Rows   []gemmRow `json:"rows"`
}

// gemmRow has the medians for one order. Rates are in 10^9 floating-point operations per second.
type gemmRow struct {
	Order    int     `json:"order"`
	Samples  int     `json:"samples"`
	Fagus    float64 `json:"fagus_gflops"`
	OpenBLAS float64 `json:"openblas_gflops"`
}

type openBLAS struct {
	ask    io.WriteCloser
	answer *bufio.Reader
}

// coreType is the environment variable that makes OpenBLAS use the kernel of a processor type.
const coreType = "OPENBLAS_CORETYPE"

// gemmPatience limits the time of all orders and samples together.
const gemmPatience = 20 * time.Minute

func runGemm(c *cli.Context) error {
	orders, samples := c.IntSlice("orders"), c.Int("samples")
	if samples < 1 || len(orders) == 0 || slices.Min(orders) < 1 || slices.Max(orders) > 16384 {
		return usage.Errorf("--gemm with --samples %d --orders %v: want at least 1 sample, and orders from 1 to 16384", samples, orders)
	}
	ctx, cancel := context.WithTimeout(c.Context, gemmPatience)
	defer cancel()
	peer, wait, err := startOpenBLAS(ctx, filepath.Join(c.String("peers-dir"), "dgemm"))
	if err != nil {
		return err
	}
	defer wait()
	report := gemmReport{Schema: gemmSchema, Kernel: bench.GemmKernel()}
	for _, n := range orders {
		row, err := gemmSamples(ctx, peer, n, samples)
		if err != nil {
			return err
		}
		report.Rows = append(report.Rows, row)
	}
	t := base.NewTable(table.Row{"order", "Fagus, Gflop/s", "OpenBLAS", "ratio"}, 1, 2, 3, 4)
	for _, r := range report.Rows {
		t.AppendRow(table.Row{r.Order, fmt.Sprintf("%.1f", r.Fagus), fmt.Sprintf("%.1f", r.OpenBLAS), fmt.Sprintf("%.2f", r.Fagus/r.OpenBLAS)})
	}
	return base.Printf(c, report, "float64, one processor, kernel %s, medians of %d\n\n%s\n", report.Kernel, samples, t.Render())
}

func startOpenBLAS(ctx context.Context, path string) (p *openBLAS, wait func(), err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Env = append(cmd.Environ(), "OPENBLAS_NUM_THREADS=1")
	if os.Getenv(coreType) == "" {
		// Debian's OpenBLAS treats a processor that it does not know as a Pentium 4.
		switch bench.GemmKernel() {
		case "AVX-512":
			cmd.Env = append(cmd.Env, coreType+"=SkylakeX")
		case "AVX2":
			cmd.Env = append(cmd.Env, coreType+"=Haswell")
		}
	}
	ask, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	answer, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("bench: %w; make -C bench blas builds it, with Debian's libopenblas-dev", err)
	}
	return &openBLAS{ask, bufio.NewReader(answer)}, func() { _, _ = ask.Close(), cmd.Wait() }, nil
}

// multiply lets OpenBLAS compute one product of order n, and returns its time in seconds.
func (p *openBLAS) multiply(ctx context.Context, n int) (seconds float64, err error) {
	if _, err = fmt.Fprintln(p.ask, n); err == nil {
		_, err = fmt.Fscanln(p.answer, &seconds)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return 0, fmt.Errorf("bench: measure OpenBLAS with order %d: %w", n, err)
	}
	return seconds, nil
}

func gemmSamples(ctx context.Context, peer *openBLAS, n, samples int) (gemmRow, error) {
	product := bench.NewGemm(n)
	own, other := make([]float64, samples), make([]float64, samples)
	flops := 2 * math.Pow(float64(n), 3) / 1e9
	for i := range samples {
		seconds, err := peer.multiply(ctx, n)
		if err != nil {
			return gemmRow{}, err
		}
		other[i] = flops / seconds
		product.Clear()
		begin := time.Now()
		product.Multiply()
		own[i] = flops / time.Since(begin).Seconds()
	}
	slices.Sort(own)
	slices.Sort(other)
	return gemmRow{n, samples, own[samples/2], other[samples/2]}, nil
}
