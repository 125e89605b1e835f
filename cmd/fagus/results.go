package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/matrix"
	"github.com/fagus-dsm/fagus/cmd/fagus/results"
	"github.com/fagus-dsm/fagus/dimmnet"
)

func resultsCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const what = "what is run"
	return &cli.Command{
		Name:  "results",
		Usage: "run every program everywhere, and say what it comes to",
		UsageText: "fagus results [flags] [PROGRAM ...]\n\n" +
			"fagus results --data docs/results.json --out docs/results.md        all of it: half an hour on 2 processors\n" +
			"fagus results --data docs/results.json --out docs/results.md ep cg  these anew, the others as they were\n" +
			"fagus results --quick ep                                            small, to see what it does",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags: []cli.Flag{
			&cli.IntSliceFlag{Name: "nodes", Category: what, Value: cli.NewIntSlice(1, 2, 4, 8, 16, 32, 64), Usage: "`NODES` of simulated speed-ups; the first is 1"},
			&cli.IntFlag{Name: "rounds", Category: what, Value: 5, Usage: "wall-clock medians are of `N` runs"},
			&cli.DurationFlag{Name: "limit", Category: what, Value: 2 * time.Minute, Usage: "give up a run after so much real time"},
			&cli.BoolFlag{Name: "quick", Category: what, Usage: "small inputs, up to 4 nodes, one round"},
			&cli.BoolFlag{Name: "render", Category: outputCategory, Usage: "run nothing: make the page of what --data has"},
			timeoutFlag(what),
			&cli.StringFlag{Name: "data", Category: outputCategory, Usage: "keep what was measured in `FILE` (.json): programs that are not named stay as they are there"},
			&cli.StringFlag{Name: "out", Category: outputCategory, Usage: "write the page to `FILE` (.md) in the place of standard output"},
			&cli.BoolFlag{Name: "json", Category: outputCategory, Usage: "print one JSON document, schema " + results.Schema + ", in the place of the page"},
		},
		Action: runResults,
	}
}

func runResults(c *cli.Context) error {
	cfg, err := resultsConfig(c)
	if err != nil {
		return err
	}
	before, err := readResults(c.String("data"))
	if err != nil {
		return err
	}
	if c.Bool("render") {
		if before == nil {
			return usagef("--render makes the page of what was measured before: name its file by --data")
		}
		return writeResults(c, before)
	}
	ctx, cancel := withLimit(c.Context, c.Duration("timeout"))
	defer cancel()
	bar := &progress{}
	cfg.Begin = func(runs int) { bar = newProgress(c.App.ErrWriter, "runs", runs) }
	cfg.Done = func() { bar.add(1) }
	d, err := results.Collect(ctx, cfg)
	bar.stop()
	if err != nil {
		return err
	}
	d.Version, d.Machine = buildVersion(), machine()
	faults := d.Faults()
	if before != nil {
		before.Merge(d)
		d = before
	}
	if err := writeResults(c, d); err != nil {
		return err
	}
	if len(faults) > 0 {
		return fmt.Errorf("%d faults:\n%s", len(faults), strings.Join(faults, "\n"))
	}
	return nil
}

func resultsConfig(c *cli.Context) (results.Config, error) {
	cfg := results.Config{
		Programs: c.Args().Slice(), Nodes: c.IntSlice("nodes"), Rounds: c.Int("rounds"), Limit: c.Duration("limit"), Quick: c.Bool("quick"),
	}
	if cfg.Quick {
		cfg.Nodes, cfg.Rounds = []int{1, 2, 4}, 1
	}
	for _, name := range cfg.Programs {
		if strings.HasPrefix(name, "-") {
			return cfg, usagef("%s stands behind the name of a program: flags come first", name)
		}
	}
	if err := results.Known(cfg.Programs); err != nil {
		return cfg, &usageError{err}
	}
	switch {
	case cfg.Rounds < 1:
		return cfg, usagef("--rounds %d: want at least 1", cfg.Rounds)
	case cfg.Limit <= 0:
		return cfg, usagef("--limit %v: want more than 0", cfg.Limit)
	case len(cfg.Nodes) == 0 || cfg.Nodes[0] != 1 || !slices.IsSorted(cfg.Nodes) || cfg.Nodes[len(cfg.Nodes)-1] > dimmnet.MaxNodes:
		return cfg, usagef("--nodes %v: want 1, and then more, up to %d", cfg.Nodes, dimmnet.MaxNodes)
	}
	if err := checkTimeout(c); err != nil {
		return cfg, err
	}
	for flag, end := range map[string]string{"data": ".json", "out": ".md"} {
		if err := checkWritable(c, flag, func(path string) error {
			if !strings.HasSuffix(path, end) {
				return fmt.Errorf("%s: want a name that ends in %s", path, end)
			}
			return nil
		}); err != nil {
			return cfg, err
		}
	}
	var err error
	cfg.Fagus, err = os.Executable()
	return cfg, err
}

// readResults is what an earlier call has kept; nil if there is none.
func readResults(path string) (*results.Document, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d := new(results.Document)
	if err := json.Unmarshal(text, d); err != nil || d.Schema != results.Schema {
		return nil, usagef("--data %s: it holds no %s; move it away, or give another name", path, results.Schema)
	}
	return d, nil
}

func writeResults(c *cli.Context, d *results.Document) error {
	if path := c.String("data"); path != "" {
		if err := matrix.Replace(path, func(w io.Writer) error { return printJSON(w, d) }); err != nil {
			return err
		}
	}
	if path := c.String("out"); path != "" {
		if err := matrix.Replace(path, d.Page); err != nil {
			return err
		}
	}
	switch {
	case c.Bool("json"):
		return printJSON(c.App.Writer, d)
	case c.String("out") == "":
		return d.Page(c.App.Writer)
	}
	return nil
}
