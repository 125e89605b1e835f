package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const gemmText = "make -C bench blas && fagus bench --gemm           the product on one processor, against OpenBLAS\n" +
	"fagus bench --gemm --processes 2 --orders 4096     fagus run matmul on 2 processes, against OpenBLAS on 2 threads"

const gemmSchema = "fagus.gemm/v1"

const (
	mostOrder     = 16384
	mostProcesses = 64
	// crowdSamples is the number of samples by default with --processes, where each takes seconds.
	crowdSamples = 5
)

func gemmFlags() []cli.Flag {
	const category = "with --gemm"
	return []cli.Flag{
		&cli.BoolFlag{Name: "gemm", Category: category, Usage: "measure the product of two matrices on one processor, in turns with OpenBLAS, which gets its best core type (OPENBLAS_CORETYPE)"},
		&cli.IntSliceFlag{Name: "orders", Category: category, Value: cli.NewIntSlice(256, 512, 1024, 2048), DefaultText: "256, 512, 1024, 2048; 4096 with --processes", Usage: "`ORDERS` of the matrices"},
		&cli.IntFlag{Name: "processes", Category: category, Value: 1, Usage: fmt.Sprintf("from 2: measure fagus run matmul --net shm on this `NUMBER` of processes, against as many threads of OpenBLAS; --samples is %d by default", crowdSamples)},
	}
}

type gemmReport struct {
	Schema    string      `json:"schema"`
	Machine   string      `json:"machine"`
	Kernel    string      `json:"kernel"`
	Processes int         `json:"processes"` // of Fagus, and threads of OpenBLAS
	CoreType  coreTrial   `json:"core_type"` // of OpenBLAS, the best trial
	Trials    []coreTrial `json:"core_type_trials"`
	Rows      []gemmRow   `json:"rows"`
}

// gemmRow has the medians for one order. Rates are in 10^9 floating-point operations per second.
type gemmRow struct {
	Order    int     `json:"order"`
	Samples  int     `json:"samples"`
	Fagus    float64 `json:"fagus_gflops"`
	OpenBLAS float64 `json:"openblas_gflops"`
}

// gflop returns the operations of a product, in 10^9.
func gflop(order int) float64 { return 2 * math.Pow(float64(order), 3) / 1e9 }

// gemmPatience limits the time of all orders and samples together.
const gemmPatience = 20 * time.Minute

func runGemm(c *cli.Context) error {
	orders, samples, processes := c.IntSlice("orders"), c.Int("samples"), c.Int("processes")
	if processes < 1 || processes > mostProcesses {
		return usage.Errorf("--processes %d: want 1 to %d", processes, mostProcesses)
	}
	if processes > 1 && !c.IsSet("orders") {
		orders = []int{4096}
	}
	if processes > 1 && !c.IsSet("samples") {
		samples = crowdSamples
	}
	if samples < 1 || len(orders) == 0 || slices.Min(orders) < 1 || slices.Max(orders) > mostOrder {
		return usage.Errorf("--gemm with --samples %d --orders %v: want at least 1 sample, and orders from 1 to %d", samples, orders, mostOrder)
	}
	ctx, cancel := context.WithTimeout(c.Context, gemmPatience)
	defer cancel()
	report, err := measureGemm(ctx, c.String("peers-dir"), orders, samples, processes)
	if err != nil {
		return err
	}
	return base.PrintText(c, report, report.text)
}

func measureGemm(ctx context.Context, folder string, orders []int, samples, processes int) (*gemmReport, error) {
	path, err := filepath.Abs(filepath.Join(folder, "dgemm"))
	if err != nil {
		return nil, err
	}
	trials, best, err := fastest(ctx, path, processes)
	if err != nil {
		return nil, err
	}
	peer, err := startOpenBLAS(ctx, path, trials[best].Asked, processes)
	if err != nil {
		return nil, err
	}
	defer func() { _ = peer.stop() }() // what failed is known from its answers
	report := &gemmReport{Schema: gemmSchema, Machine: base.Machine(), Kernel: bench.GemmKernel(), Processes: processes, CoreType: trials[best], Trials: trials}
	for _, n := range orders {
		multiply := oneProcessor(n)
		if processes > 1 {
			multiply = manyProcesses(n, processes)
		}
		row, err := gemmSamples(ctx, peer, multiply, n, samples)
		if err != nil {
			return nil, err
		}
		report.Rows = append(report.Rows, row)
	}
	return report, nil
}

func (r *gemmReport) text() string {
	t := base.NewTable(table.Row{"order", "samples", "Fagus, Gflop/s", "OpenBLAS", "Fagus, time", "OpenBLAS", "ratio of times"}, 1, 2, 3, 4, 5, 6, 7)
	for _, row := range r.Rows {
		t.AppendRow(table.Row{row.Order, row.Samples, fmt.Sprintf("%.1f", row.Fagus), fmt.Sprintf("%.1f", row.OpenBLAS),
			nanoseconds(1e9 * gflop(row.Order) / row.Fagus), nanoseconds(1e9 * gflop(row.Order) / row.OpenBLAS), fmt.Sprintf("%.2f", row.OpenBLAS/row.Fagus)})
	}
	on := "one processor"
	if r.Processes > 1 {
		on = fmt.Sprintf("fagus run matmul on %d processes, OpenBLAS on %d threads", r.Processes, r.Processes)
	}
	trials := base.Map(r.Trials, coreTrial.String)
	return fmt.Sprintf("float64, %s, of %s; kernel %s, medians\nOpenBLAS: core type %s (%s), the best of (Gflop/s at order %d): %s\n\n%s\n",
		on, r.Machine, r.Kernel, r.CoreType.Core, r.CoreType.setting(), trialOrder, strings.Join(trials, ", "), t.Render())
}

// oneProcessor returns a function that multiplies matrices of order n and returns the seconds.
func oneProcessor(n int) func(context.Context) (float64, error) {
	product := bench.NewGemm(n)
	return func(context.Context) (float64, error) {
		product.Clear()
		begin := time.Now()
		product.Multiply()
		return time.Since(begin).Seconds(), nil
	}
}

// manyProcesses is oneProcessor by the program matmul: the time of its product at its slowest rank.
func manyProcesses(n, processes int) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		got, err := experiment.Fagus{}.Run(ctx, "matmul", "--n", fmt.Sprint(n), "--nodes", fmt.Sprint(processes), "--net", runflags.SHM)
		if err != nil {
			return 0, err
		}
		if !got.Verified || got.MeasuredNs <= 0 {
			return 0, errors.New("bench: fagus run matmul: the product is not verified, or took no time")
		}
		return time.Duration(got.MeasuredNs).Seconds(), nil
	}
}

func gemmSamples(ctx context.Context, peer *openBLAS, multiply func(context.Context) (float64, error), n, samples int) (gemmRow, error) {
	both := []func(context.Context) (float64, error){multiply, func(ctx context.Context) (float64, error) { return peer.multiply(ctx, n) }}
	rates := make([][]float64, len(both))
	err := repeat.InTurn(samples, len(both), func(_, i int) error {
		seconds, err := both[i](ctx)
		rates[i] = append(rates[i], gflop(n)/seconds)
		return err
	})
	return gemmRow{n, samples, repeat.Quantile(rates[0], 0.5), repeat.Quantile(rates[1], 0.5)}, err
}
