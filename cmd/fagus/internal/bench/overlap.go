package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/ports"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const overlapText = "fagus bench --overlap                         how late posts land in a rank that computes, on every network\n" +
	"fagus bench --overlap --net tcp --kernel 10ms\n" +
	"fagus bench --overlap --net ofi --provider net --json"

const overlapSchema = "fagus.overlap/v1"

func overlapFlags() []cli.Flag {
	const category = "with --overlap"
	return []cli.Flag{
		&cli.BoolFlag{Name: "overlap", Category: category, Usage: "measure how long after the post a Store, a Write of a page and a Push of 1 MiB land in the memory of a rank that computes; without --net on every live network, with ofi over every provider of libfabric that needs no NIC"},
		&cli.DurationFlag{Name: "kernel", Category: category, Value: 100 * time.Millisecond, Usage: "`TIME` that the rank computes without a call that polls"},
	}
}

type overlapReport struct {
	Schema  string       `json:"schema"`
	Machine string       `json:"machine"`
	Kernel  int64        `json:"kernel_ns"`
	Rows    []overlapRow `json:"rows"`
}

// overlapRow has the landings of one post on one network. Times are in nanoseconds after the post.
type overlapRow struct {
	Net      string `json:"net"`
	Provider string `json:"provider,omitempty"`
	Post     string `json:"post,omitempty"`
	Bytes    int    `json:"bytes,omitempty"`
	Samples  int    `json:"samples"`
	// Waited is the number of samples that landed only when the rank waited, after its kernel.
	Waited int     `json:"landed_when_it_waited"`
	Least  float64 `json:"least_ns"`
	Median float64 `json:"median_ns"`
	Most   float64 `json:"most_ns"`
	// Known is the median time until the sender of a Push knew that it has landed.
	Known  float64 `json:"known_ns,omitempty"`
	Failed string  `json:"failed,omitempty"` // why nothing was measured
}

func runOverlap(c *cli.Context) error {
	if c.Duration("kernel") < 2*time.Millisecond || c.Duration("kernel") > time.Minute {
		return usage.Errorf("--kernel %v: want 2ms to 1m", c.Duration("kernel"))
	}
	if c.Int("samples") < 1 {
		return usage.Errorf("--samples %d: want 1 or more", c.Int("samples"))
	}
	r := &overlapReport{Schema: overlapSchema, Machine: base.Machine(), Kernel: c.Duration("kernel").Nanoseconds()}
	if !c.IsSet("net") {
		if _, err := runflags.ReadOptions(cmdline.Line(c), ""); err != nil {
			return err
		}
		if err := r.everywhere(c); err != nil {
			return err
		}
		return base.PrintText(c, r, r.text)
	}
	return atRanks(c, func(cfg *runflags.Config) error {
		if cfg.Network.Simulated || cfg.Nodes != leastRanks {
			return usage.Errorf("--overlap --net %s --nodes %d: want %d nodes on a network in wall time", cfg.Network.Name, cfg.Nodes, leastRanks)
		}
		return nil
	}, func(ctx context.Context, on *runflags.Target) error {
		return onPorts(ctx, on, nil, func(_ int, pair *ports.Pair) error {
			all, err := pair.Overlap(ports.OverlapConfig{Kernel: c.Duration("kernel"), Samples: c.Int("samples")})
			r.add(overlapRow{Net: on.Network.Name, Provider: c.String("provider")}, all)
			return err
		})
	}, func() error { return base.PrintText(c, r, r.text) })
}

// add adds a row like head for each post.
func (r *overlapReport) add(head overlapRow, all []ports.Landing) {
	for len(all) > 0 {
		row := head
		row.Post, row.Bytes = all[0].Post, all[0].Bytes
		var landed, known []float64
		for len(all) > 0 && all[0].Post == row.Post {
			landed = append(landed, float64(all[0].Landed.Nanoseconds()))
			known = append(known, float64(all[0].Known.Nanoseconds()))
			if all[0].Waited {
				row.Waited++
			}
			all = all[1:]
		}
		row.Samples, row.Median, row.Known = len(landed), repeat.Quantile(landed, 0.5), repeat.Quantile(known, 0.5)
		row.Least, row.Most = slices.Min(landed), slices.Max(landed)
		r.Rows = append(r.Rows, row)
	}
}

// everywhere lets a process of its own measure each live network, and adds what it prints.
func (r *overlapReport) everywhere(c *cli.Context) error {
	for _, n := range runflags.Which(func(n runflags.Network) bool { return !n.Simulated }) {
		providers := []string{""}
		if n.Name == runflags.OFI {
			providers = ofi.Software()
		}
		for _, provider := range providers {
			argv := []string{"bench", "--overlap", "--net", n.Name, "--kernel", c.Duration("kernel").String(), "--samples", fmt.Sprint(c.Int("samples"))}
			if provider != "" {
				argv = append(argv, "--provider", provider)
			}
			if n.Name == runflags.Inproc {
				// Otherwise it has no bulk memory.
				argv = append(argv, "--transfer", fagus.Push.String())
			}
			rows, err := overlapRows(c.Context, argv)
			if c.Context.Err() != nil {
				return context.Cause(c.Context)
			}
			if err != nil {
				rows = []overlapRow{{Net: n.Name, Provider: provider, Failed: err.Error()}}
			}
			r.Rows = append(r.Rows, rows...)
		}
	}
	return nil
}

// overlapLimit bounds the measurement of one network.
const overlapLimit = 5 * time.Minute

func overlapRows(ctx context.Context, argv []string) ([]overlapRow, error) {
	ctx, cancel := context.WithTimeout(ctx, overlapLimit)
	defer cancel()
	out, err := experiment.Fagus{}.Output(ctx, argv...)
	if err != nil {
		return nil, err
	}
	var r overlapReport
	err = json.Unmarshal(out, &r)
	return r.Rows, err
}

func (r *overlapReport) text() string {
	t := base.NewTable(table.Row{"network", "post", "bytes", "landed after", "least", "most", "while computing", "sender knew after"}, 3, 4, 5, 6, 7, 8)
	failed := ""
	for i, row := range r.Rows {
		name := row.Net
		if row.Provider != "" {
			name += " over " + row.Provider
		}
		if row.Failed != "" {
			failed += fmt.Sprintf("\n%s: %s", name, row.Failed)
			continue
		}
		if i > 0 && (row.Net != r.Rows[i-1].Net || row.Provider != r.Rows[i-1].Provider) {
			t.AppendSeparator()
		}
		known := ""
		if row.Known > 0 {
			known = nanoseconds(row.Known).String()
		}
		t.AppendRow(table.Row{name, row.Post, row.Bytes, nanoseconds(row.Median), nanoseconds(row.Least), nanoseconds(row.Most),
			fmt.Sprintf("%d of %d", row.Samples-row.Waited, row.Samples), known})
	}
	if failed != "" {
		failed = "\n\nnot measured:" + failed
	}
	return fmt.Sprintf("2 ranks of %s; rank 1 computes for %v while rank 0 posts\nlanded after: the median; a post that has not landed when the rank stops computing lands when it waits\n\n%s%s\n",
		r.Machine, time.Duration(r.Kernel), t.Render(), failed)
}
