package bench

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/hog"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const schema = "fagus.bench/v1"

type report struct {
	Schema    string `json:"schema"`
	Nodes     int    `json:"nodes"`
	Mode      string `json:"mode"`
	Net       string `json:"net"`
	Placement string `json:"placement"`
	Rows      []row  `json:"rows"`
}

// row is the measurement of one operation and size. Times are in nanoseconds per operation.
type row struct {
	Op      bench.Op `json:"op"`
	Bytes   int      `json:"bytes,omitempty"`
	Samples int      `json:"samples"`
	Least   float64  `json:"least_ns"`
	Median  float64  `json:"median_ns"`
	Most    float64  `json:"most_ns"`
}

// Command returns the command fagus bench.
func Command() *cli.Command {
	const what = "what is measured"
	return &cli.Command{
		Name: "bench", Usage: "measure the time of calls between ranks",
		UsageText: "fagus bench [flags]\n\n" +
			"fagus bench --net shm                       two processes of this host\n" +
			"fagus bench --net shm --placement private   the bytes move\n" +
			"fagus bench --net inproc --bytes 4096\n" +
			"fagus bench --net dimmnet1                  in virtual time\n\n" +
			anatomyText + "\n" + gemmText + "\n\n" + overlapText + "\n\n" + peersText + "\n\n" + programsText,
		Flags: slices.Concat([]cli.Flag{
			&cli.IntSliceFlag{Name: "bytes", Category: what, Value: cli.NewIntSlice(8, 4096, 64<<10, 1<<20, 32<<20), Usage: "`SIZES` of hand-overs"},
			&cli.IntFlag{Name: "samples", Category: what, Value: 21, Usage: "`BATCHES` of each"},
			&cli.DurationFlag{Name: "batch", Category: what, Value: 5 * time.Millisecond, DefaultText: "5ms; 50ms with --hogs, or if ranks share processors", Usage: "approximate `TIME` of a batch"},
			base.JSONFlag(schema),
		}, anatomyFlags(), gemmFlags(), overlapFlags(), peersFlags(), programsFlags(), cmdline.Flags(runflags.Flags()...)),
		Action: base.NoArgs(func(c *cli.Context) error {
			switch {
			case c.String("serve") != "":
				return serve(c)
			case c.IsSet("hog"):
				return hog.Spin(c.Int("hog"), os.Stdin, c.App.Writer) // of --hogs
			case c.Bool("anatomy"):
				return runAnatomy(c)
			case c.Bool("gemm"):
				return runGemm(c)
			case c.Bool("overlap"):
				return runOverlap(c)
			case c.Bool("peers"):
				return runPeers(c)
			case c.String("programs") != "":
				return runPrograms(c)
			}
			return measureCalls(c)
		}),
	}
}

func measureCalls(c *cli.Context) error {
	for _, f := range slices.Concat(peersFlags(), programsFlags(), gemmFlags(), overlapFlags()) {
		of := strings.TrimPrefix(f.(cli.CategorizableFlag).GetCategory(), "with ")
		if name := f.Names()[0]; of != "" && of != "--"+name && c.IsSet(name) {
			return usage.Errorf("--%s is for %s", name, of)
		}
	}
	configs := []bench.Config{{Op: bench.Barrier}}
	for _, bytes := range c.IntSlice("bytes") {
		configs = append(configs, bench.Config{Op: bench.HandOver, Bytes: bytes})
	}
	for i := range configs {
		configs[i].Samples, configs[i].Batch = c.Int("samples"), catalog.VirtualTime(c.Duration("batch"))
		if err := configs[i].Validate(); err != nil {
			return usage.Wrap(err)
		}
	}
	r := &report{Schema: schema, Rows: []row{}}
	return atRanks(c, func(*runflags.Config) error { return nil }, func(ctx context.Context, on *runflags.Target) error {
		r.Nodes, r.Mode, r.Net, r.Placement = on.Nodes, on.Mode.String(), on.Network.Name, on.Placement.String()
		return r.measure(ctx, on, configs)
	}, func() error { return base.PrintText(c, r, r.text) })
}

// atRanks calls measure at the ranks that the flags ask for, unless check refuses them, and then
// print at rank 0.
func atRanks(c *cli.Context, check func(*runflags.Config) error, measure func(context.Context, *runflags.Target) error, print func() error) error {
	cfg, err := runflags.FromFlags(cmdline.Line(c))
	if err == nil && (cfg.Trace != nil || cfg.Record != nil || cfg.Meter != nil) {
		err = usage.Errorf("--trace, --record and --metrics are for programs: a measurement makes many short runs")
	}
	if err == nil {
		err = check(&cfg)
	}
	if err != nil {
		return err
	}
	if cfg.Launches() {
		return runflags.LaunchSelf(cmdline.Line(c), cfg)
	}
	ctx, end := cfg.Limit(cmdline.Line(c), "the measurement has not ended")
	defer end()
	on, err := cfg.Open(ctx)
	if err != nil {
		return err
	}
	if err := measure(ctx, on); err != nil {
		return err
	}
	if err := on.Close(ctx); err != nil || on.Rank() != 0 {
		return err
	}
	return print()
}

func (r *report) measure(ctx context.Context, on *runflags.Target, configs []bench.Config) error {
	for _, cfg := range configs {
		var samples []fagus.Time
		_, err := on.Run(ctx, func(n *fagus.Node) error {
			got, err := bench.Run(n, cfg)
			if n.Rank() == 0 {
				samples = got
			}
			return err
		})
		if err != nil {
			return err
		}
		if on.Rank() == 0 {
			ns := func(t fagus.Time) float64 { return float64(t) / float64(fagus.Nanosecond) }
			r.Rows = append(r.Rows, row{cfg.Op, cfg.Bytes, len(samples), ns(samples[0]), ns(repeat.Quantile(samples, 0.5)), ns(samples[len(samples)-1])})
		}
	}
	return nil
}

func (r *report) text() string {
	t := base.NewTable(table.Row{"operation", "bytes", "median", "least", "most"}, 2, 3, 4, 5)
	for _, row := range r.Rows {
		bytes := ""
		if row.Bytes > 0 {
			bytes = fmt.Sprint(row.Bytes)
		}
		t.AppendRow(table.Row{row.Op, bytes, nanoseconds(row.Median), nanoseconds(row.Least), nanoseconds(row.Most)})
	}
	return fmt.Sprintf("%s, %s mode, %s, placement %s; an operation at rank 0\n\n%s\n", runflags.NodesText(r.Nodes), r.Mode, r.Net, r.Placement, t.Render())
}

func nanoseconds(ns float64) fagus.Time { return fagus.Time(ns * float64(fagus.Nanosecond)) }
