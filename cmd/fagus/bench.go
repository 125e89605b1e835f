package main

import (
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/fagus"
)

const benchSchema = "fagus.bench/v1"

// benchReport is what a bench prints.
type benchReport struct {
	Schema string     `json:"schema"`
	Nodes  int        `json:"nodes"`
	Mode   string     `json:"mode"`
	Net    string     `json:"net"`
	Place  string     `json:"placement"`
	Rows   []benchRow `json:"rows"`
}

// benchRow is one measurement, in nanoseconds an operation.
type benchRow struct {
	Op      bench.Op `json:"op"`
	Bytes   int      `json:"bytes,omitempty"`
	Samples int      `json:"samples"`
	Least   float64  `json:"least_ns"`
	Median  float64  `json:"median_ns"`
	Most    float64  `json:"most_ns"`
}

func benchCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const what = "what is measured"
	return &cli.Command{
		Name:  "bench",
		Usage: "measure what calls take between ranks",
		UsageText: "fagus bench [flags]\n\n" +
			"fagus bench --net shm                       two processes of this host\n" +
			"fagus bench --net shm --placement private   the bytes move\n" +
			"fagus bench --net inproc --bytes 4096\n" +
			"fagus bench --net dimmnet1                  in virtual time\n\n" +
			gemmText + "\n\n" + peersText,
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags: append([]cli.Flag{
			&cli.IntSliceFlag{Name: "bytes", Category: what, Value: cli.NewIntSlice(8, 4096, 64<<10, 1<<20, 32<<20), Usage: "`SIZES` of hand-overs"},
			&cli.IntFlag{Name: "samples", Category: what, Value: 21, Usage: "`BATCHES` of each"},
			&cli.DurationFlag{Name: "batch", Category: what, Value: 5 * time.Millisecond, Usage: "`TIME` of a batch, about"},
			&cli.BoolFlag{Name: "json", Category: outputCategory, Usage: "print one JSON document, schema " + benchSchema},
		}, append(append(gemmFlags(), peersFlags()...), placementFlags()...)...),
		Action: func(c *cli.Context) error {
			switch {
			case c.String("serve") != "":
				return serveBench(c)
			case c.Bool("gemm"):
				return runGemm(c)
			case c.Bool("peers"):
				return runPeers(c)
			}
			return runBench(c)
		},
	}
}

func runBench(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q", c.Args().First())
	}
	for _, name := range peersOnly() {
		if c.IsSet(name) {
			return usagef("--%s is for --peers", name)
		}
	}
	configs := []bench.Config{{Op: bench.Barrier}}
	for _, bytes := range c.IntSlice("bytes") {
		configs = append(configs, bench.Config{Op: bench.HandOver, Bytes: bytes})
	}
	for i := range configs {
		configs[i].Samples, configs[i].Batch = c.Int("samples"), virtual(c.Duration("batch"))
		if err := configs[i].Validate(); err != nil {
			return &usageError{err}
		}
	}
	p, err := place(c, false)
	if err != nil {
		return err
	}
	if p.launches {
		return p.launchSelf(c)
	}
	ctx, cancel := withLimit(c.Context, p.limit)
	defer cancel()
	r := &benchReport{Schema: benchSchema, Nodes: p.nodes, Mode: p.mode.String(), Net: p.net, Place: p.place.String(), Rows: []benchRow{}}
	for _, cfg := range configs {
		var samples []fagus.Time
		_, err := fagus.Run(ctx, p.config(), func(n *fagus.Node) error {
			got, err := bench.Run(n, cfg)
			if n.Rank() == 0 {
				samples = got
			}
			return err
		})
		if err != nil {
			return err
		}
		if p.rank == 0 {
			r.add(cfg, samples)
		}
	}
	if err := p.leave(ctx); err != nil || p.rank != 0 {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, r)
	}
	return r.print(c.App.Writer)
}

func (r *benchReport) add(cfg bench.Config, samples []fagus.Time) {
	ns := func(t fagus.Time) float64 { return float64(t) / float64(fagus.Nanosecond) }
	r.Rows = append(r.Rows, benchRow{cfg.Op, cfg.Bytes, len(samples), ns(samples[0]), ns(samples[len(samples)/2]), ns(samples[len(samples)-1])})
}

func (r *benchReport) print(w io.Writer) error {
	t := newTable()
	t.SetColumnConfigs(rightAligned(2, 3, 4, 5))
	t.AppendHeader(table.Row{"operation", "bytes", "median", "least", "most"})
	for _, row := range r.Rows {
		bytes := ""
		if row.Bytes > 0 {
			bytes = fmt.Sprint(row.Bytes)
		}
		t.AppendRow(table.Row{row.Op, bytes, picoseconds(row.Median), picoseconds(row.Least), picoseconds(row.Most)})
	}
	_, err := fmt.Fprintf(w, "%s, %s mode, %s, placement %s; an operation at rank 0\n\n%s\n", nodesText(r.Nodes), r.Mode, r.Net, r.Place, t.Render())
	return err
}

// picoseconds is a time in nanoseconds, which prints itself.
func picoseconds(ns float64) fagus.Time { return fagus.Time(ns * float64(fagus.Nanosecond)) }
