package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/bench/echo"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

const anatomyText = "fagus bench --anatomy                       what a call costs without a peer, and what each observer adds"

const anatomySchema = "fagus.ownwork/v1"

func anatomyFlags() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "anatomy", Category: "with --anatomy", Usage: "measure calls of a rank that waits for nobody: its own work in a hand-over to a peer that answers at once, and calls without a peer, with the clock, statistics and roll-calls that are always on, and with each observer that a flag turns on"}}
}

type anatomyReport struct {
	Schema  string       `json:"schema"`
	Machine string       `json:"machine"`
	Rows    []anatomyRow `json:"rows"`
}

// anatomyRow has the medians of one part, in nanoseconds.
type anatomyRow struct {
	Part  string  `json:"part"`
	Calls string  `json:"calls,omitempty"` // the calls that the part belongs to
	Took  float64 `json:"ns"`
	Added float64 `json:"added_ns,omitempty"` // to the same calls without the observer
}

// part is what is measured: run returns the time of count operations.
type part struct {
	name, calls string
	run         func(ctx context.Context, count int) (time.Duration, error)
}

// settled is the time after which a rank's clock reads the processor's counter.
const settled = 15 * fagus.Millisecond

// Operations of a sample. A history of as many calls takes some megabytes.
const anatomyCount = 5000

func runAnatomy(c *cli.Context) error {
	for _, name := range c.LocalFlagNames() {
		if !slices.Contains([]string{"anatomy", "samples", "json"}, name) {
			return usage.Errorf("--%s is not for --anatomy, which measures one rank on networks of its own", name)
		}
	}
	samples := c.Int("samples")
	if samples < 1 {
		return usage.Errorf("--samples %d: want 1 or more", samples)
	}
	parts := anatomyParts()
	all := make([][]float64, len(parts))
	err := repeat.InTurn(samples, len(parts), func(_, i int) error {
		took, err := parts[i].run(c.Context, anatomyCount)
		all[i] = append(all[i], float64(took.Nanoseconds())/anatomyCount)
		return err
	})
	if err != nil {
		return err
	}
	r := &anatomyReport{Schema: anatomySchema, Machine: base.Machine()}
	plain := make(map[string]float64) // by calls: the time without observers, which comes first
	for i, p := range parts {
		row := anatomyRow{Part: p.name, Calls: p.calls, Took: repeat.Quantile(all[i], 0.5)}
		if without, ok := plain[p.calls]; ok {
			row.Added = row.Took - without
		} else if p.calls != "" {
			plain[p.calls] = row.Took
		}
		r.Rows = append(r.Rows, row)
	}
	return base.PrintText(c, r, r.text)
}

func (r *anatomyReport) text() string {
	t := base.NewTable(table.Row{"part", "calls", "ns", "adds, ns"}, 3, 4)
	for _, row := range r.Rows {
		added := ""
		if row.Added != 0 {
			added = fmt.Sprintf("%+.0f", row.Added)
		}
		t.AppendRow(table.Row{row.Part, row.Calls, fmt.Sprintf("%.0f", row.Took), added})
	}
	return fmt.Sprintf("one rank, which waits for nobody, on %s; medians\n"+
		"own work: of two ranks that share memory, with a peer that answers at once; other calls: of a run of one rank\n\n%s\n", r.Machine, t.Render())
}

// anatomyParts returns the parts, each calls without observers before the same calls with one.
func anatomyParts() []part {
	parts := []part{
		{name: "the system's clock, read once", run: func(_ context.Context, count int) (time.Duration, error) {
			start := time.Now()
			for range count {
				_ = time.Since(start)
			}
			return time.Since(start), nil
		}},
		{name: "a rank's clock, read once", run: rankTime(func(*fagus.Config) {}, func(n *fagus.Node) (func() error, error) {
			return func() error { n.Now(); return nil }, nil
		})},
		{name: "roll-calls: a call entered and left", run: func(_ context.Context, count int) (time.Duration, error) {
			board := rollcall.Open(rollcall.Config{After: -1}, rollcall.About{Nodes: 1})
			defer board.Close()
			monitor, start := board.Monitor(0), time.Now()
			for range count {
				monitor.Enter(rollcall.Barrier, nil)
				monitor.Leave(nil)
			}
			return time.Since(start), nil
		}},
	}
	for _, work := range []struct {
		name  string
		place fagus.Placement
		make  func(n *fagus.Node) (func() error, error)
	}{
		{"own work: Barrier", fagus.PlaceShared, func(n *fagus.Node) (func() error, error) { return n.Barrier, nil }},
		{"own work: take 8 bytes, change and release them", fagus.PlaceShared, tenures},
		{"own work: the same, private copies", fagus.PlacePrivate, tenures},
		{"own work: take part while the peer takes them", fagus.PlaceShared, func(n *fagus.Node) (func() error, error) {
			_, err := tenures(n)
			none := n.Set()
			return func() error { return none.Do(func() {}) }, err
		}},
	} {
		parts = append(parts, part{name: work.name, run: rankTime(func(c *fagus.Config) {
			c.Nodes, c.Net, c.Placement = 2, echo.New(), work.place
		}, work.make)})
	}
	for _, calls := range []struct {
		name string
		make func(n *fagus.Node) (func() error, error)
	}{
		{"Barrier", func(n *fagus.Node) (func() error, error) { return n.Barrier, nil }},
		{"Acquire, write 8 bytes, Release", tenures},
	} {
		for _, with := range []struct {
			name string
			set  func(*fagus.Config)
		}{
			{"no observer", func(*fagus.Config) {}},
			{"with --timeline", func(c *fagus.Config) { c.Timeline = true }},
			{"with --verify-history", func(c *fagus.Config) { c.History = history.New() }},
			{"with --check", func(c *fagus.Config) { c.Check = fagus.CheckOn }},
		} {
			parts = append(parts, part{with.name, calls.name, rankTime(with.set, calls.make)})
		}
	}
	return parts
}

// tenures returns a function that writes an element of an array during an exclusive tenure.
func tenures(n *fagus.Node) (func() error, error) {
	x, err := fagus.NewArray[uint64](n, "x", 1)
	if err != nil {
		return nil, err
	}
	v, err := n.Bind("x", x.All())
	if err != nil {
		return nil, err
	}
	set := n.Set(fagus.Want(v, fagus.Exclusive))
	write := func() { x.Slice()[0]++ }
	return func() error { return set.Do(write) }, nil
}

// rankTime measures what make returns in a run of one rank.
func rankTime(set func(*fagus.Config), make func(n *fagus.Node) (func() error, error)) func(context.Context, int) (time.Duration, error) {
	return func(ctx context.Context, count int) (took time.Duration, err error) {
		cfg := fagus.Config{Nodes: 1}
		set(&cfg)
		_, err = fagus.Run(ctx, cfg, func(n *fagus.Node) error {
			f, err := make(n)
			if err != nil {
				return err
			}
			for begun := n.Now(); n.Now()-begun < settled; {
			}
			start := time.Now()
			for range count {
				if err := f(); err != nil {
					return err
				}
			}
			took = time.Since(start)
			return nil
		})
		return took, err
	}
}
