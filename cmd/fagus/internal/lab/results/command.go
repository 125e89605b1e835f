package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Command returns the command fagus lab results.
func Command() *cli.Command {
	const what = "what is run"
	return &cli.Command{
		Name: "results", Usage: "run every program on every network, and write a page of the results",
		UsageText: `fagus lab results [flags] [PROGRAM ...]

fagus lab results --data docs/lab/results.json --out docs/lab/results.md        everything: half an hour on 2 processors
fagus lab results --data docs/lab/results.json --out docs/lab/results.md ep cg  these again, the others as they were
fagus lab results --quick ep                                            small, to see how it works`,
		Flags: []cli.Flag{
			&cli.IntSliceFlag{Name: "nodes", Category: what, Value: cli.NewIntSlice(1, 2, 4, 8, 16, 32, 64), Usage: "`NODES` of simulated speed-ups; the first must be 1"},
			&cli.IntFlag{Name: "rounds", Category: what, Value: 5, Usage: "wall-clock medians of `N` runs"},
			&cli.DurationFlag{Name: "limit", Category: what, Value: 2 * time.Minute, Usage: "give up a run after `TIME` by the wall clock"},
			&cli.BoolFlag{Name: "simulated", Category: what, Usage: "measure only what is in virtual time; with --data the rest stays as it was"},
			&cli.BoolFlag{Name: "quick", Category: what, Usage: "small inputs, up to 4 nodes, one round"},
			&cli.BoolFlag{Name: "render", Category: base.OutputCategory, Usage: "run nothing: make the page from --data"},
			cmdline.Flag(runflags.TimeoutFlag(what)),
			&cli.StringFlag{Name: "data", Category: base.OutputCategory, Usage: "keep the measurements in `FILE` (.json); those of programs that are not named stay as they are"},
			&cli.StringFlag{Name: "out", Category: base.OutputCategory, Usage: "write the page to `FILE` (.md) instead of standard output"},
			&cli.BoolFlag{Name: "json", Category: base.OutputCategory, Usage: "print one JSON document instead of the page, schema " + Schema},
		},
		Action: collect,
	}
}

func collect(c *cli.Context) error {
	cfg, err := readConfig(c)
	if err != nil {
		return err
	}
	before, err := readResults(c.String("data"))
	if err != nil {
		return err
	}
	if c.Bool("render") {
		if before == nil {
			return usage.Errorf("--render makes the page from earlier measurements: name their file by --data")
		}
		return writeResults(c, before)
	}
	limit, err := runflags.Timeout(cmdline.Line(c))
	if err != nil {
		return err
	}
	ctx, cancel := runflags.WithTimeout(c.Context, limit)
	defer cancel()
	bar := &base.Progress{}
	cfg.Begin = func(runs int) { bar = base.NewProgress(c.App.ErrWriter, "runs", runs) }
	cfg.Done = func() { bar.Add(1) }
	d, err := Collect(ctx, cfg)
	bar.Stop()
	if err != nil {
		return err
	}
	d.Version, d.Machine = base.Version(), base.Machine()
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

func readConfig(c *cli.Context) (Config, error) {
	cfg := Config{
		Programs: c.Args().Slice(), Nodes: c.IntSlice("nodes"), Rounds: c.Int("rounds"), Limit: c.Duration("limit"), Quick: c.Bool("quick"), Simulated: c.Bool("simulated"),
	}
	if cfg.Quick {
		cfg.Nodes, cfg.Rounds = []int{1, 2, 4}, 1
	}
	if _, err := chosen(cfg.Programs); err != nil {
		return cfg, err
	}
	switch {
	case cfg.Rounds < 1:
		return cfg, usage.Errorf("--rounds %d: want at least 1", cfg.Rounds)
	case cfg.Limit <= 0:
		return cfg, usage.Errorf("--limit %v: want more than 0", cfg.Limit)
	case len(cfg.Nodes) == 0 || cfg.Nodes[0] != 1 || !slices.IsSorted(cfg.Nodes) || cfg.Nodes[len(cfg.Nodes)-1] > dimmnet.MaxNodes:
		return cfg, usage.Errorf("--nodes %v: want 1 first, then larger numbers up to %d", cfg.Nodes, dimmnet.MaxNodes)
	}
	for flag, end := range map[string]string{"data": ".json", "out": ".md"} {
		if err := base.CheckWritable(c, flag, func(path string) error {
			if !strings.HasSuffix(path, end) {
				return fmt.Errorf("file name %s: want a name that ends in %s", path, end)
			}
			return nil
		}); err != nil {
			return cfg, err
		}
	}
	return cfg, nil
}

// readResults reads the document that an earlier call wrote to path; nil if there is no file.
func readResults(path string) (*Document, error) {
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
	d := new(Document)
	if err := json.Unmarshal(text, d); err != nil || d.Schema != Schema {
		return nil, usage.Errorf("--data %s: the file is no document of schema %s; move the file away, or name another", path, Schema)
	}
	return d, nil
}

func writeResults(c *cli.Context, d *Document) error {
	if path := c.String("data"); path != "" {
		if err := base.SaveJSON(path, d); err != nil {
			return err
		}
	}
	if path := c.String("out"); path != "" {
		if err := outfile.Replace(path, d.Page); err != nil {
			return err
		}
	}
	switch {
	case c.Bool("json"):
		return base.PrintJSON(c.App.Writer, d)
	case c.String("out") == "":
		return d.Page(c.App.Writer)
	}
	return nil
}
