package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"
)

//go:embed mistakes.toml
var mistakesTOML string

type mistake struct {
	Name string `toml:"name"`
	File string `toml:"file"`
	Find string `toml:"find"`
	Put  string `toml:"put"`
}

func mistakes() ([]mistake, error) { return parseMistakes("mistakes.toml", mistakesTOML) }

func parseMistakes(name, text string) (all []mistake, err error) {
	var f struct {
		Mistake []mistake `toml:"mistake"`
	}
	meta, err := toml.Decode(text, &f)
	if err == nil && len(meta.Undecoded()) > 0 {
		err = fmt.Errorf("read %s: unknown key %s", name, meta.Undecoded()[0])
	}
	return f.Mistake, err
}

func (m *mistake) plant(root string) ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(source), m.Find); n != 1 {
		return nil, fmt.Errorf("mistake %q: %s contains the text to replace %d times, want once: update its list in cmd/teeth", m.Name, m.File, n)
	}
	return []byte(strings.Replace(string(source), m.Find, m.Put, 1)), nil
}

type caught struct {
	Name  string `json:"name"`
	File  string `json:"file"`
	Found bool   `json:"found"`
	By    string `json:"by,omitempty"` // the check that found the mistake
	Seeds int    `json:"seeds"`        // cases run until the mistake was found, or all cases
	Words string `json:"words,omitempty"`
}

// swarmReport is the part of a fagus.swarm document that teeth reads.
type swarmReport struct {
	Total struct {
		Cases int `json:"cases"`
	} `json:"total"`
	Failures []struct {
		Failure struct {
			Kind  string `json:"kind"`
			Words string `json:"words"`
		} `json:"failure"`
	} `json:"failures"`
}

func (b *bench) catch(ctx context.Context, m *mistake, seeds int, seconds int) (c caught, err error) {
	c = caught{Name: m.Name, File: m.File}
	source, err := m.plant(b.root)
	if err != nil {
		return c, err
	}
	flag, err := b.overlay(m.File, source)
	if err != nil {
		return c, err
	}
	command := filepath.Join(b.dir, "fagus")
	if _, err := b.run(ctx, "build", flag, "-o", command, "./cmd/fagus"); err != nil {
		return c, fmt.Errorf("%s: %w", m.Name, err)
	}
	swarm := exec.CommandContext(ctx, command, "lab", "swarm", "--seeds", strconv.Itoa(seeds), "--seconds", strconv.Itoa(seconds), "--shrink", "0", "--json")
	out, err := swarm.Output()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return c, err
	}
	var report swarmReport
	if json.Unmarshal(out, &report) != nil || len(report.Failures) == 0 {
		if err == nil {
			c.Seeds = report.Total.Cases
			return c, nil
		}
		// The process ended with a panic: a broken invariant.
		first, _, _ := strings.Cut(string(failed.Stderr), "\n")
		return caught{c.Name, c.File, true, "the process ends", 0, first}, nil
	}
	f := report.Failures[0].Failure
	return caught{c.Name, c.File, true, f.Kind, report.Total.Cases, f.Words}, nil
}

func mistakesCommand() *cli.Command {
	return &cli.Command{
		Name:      "mistakes",
		Usage:     "planted protocol mistakes against fagus lab swarm",
		UsageText: "teeth mistakes --seeds 10000\nteeth mistakes --only 'flag before data'",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "seeds", Value: 10000, Usage: "run at most `CASES` cases per mistake"},
			&cli.IntFlag{Name: "seconds", Value: 120, Usage: "run at most `SECONDS` per mistake"},
			&cli.StringFlag{Name: "only", Usage: "try only mistakes with `TEXT` in their names"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON document"},
			&cli.BoolFlag{Name: "markdown", Usage: "print the table in Markdown, as in docs/lab/teeth.md"},
		},
		Action: runMistakes,
	}
}

func runMistakes(c *cli.Context) (err error) {
	all, err := mistakes()
	if err != nil {
		return err
	}
	b, err := newBench(0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	var list []caught
	missed := 0
	for i := range all {
		if !strings.Contains(all[i].Name, c.String("only")) {
			continue
		}
		got, err := b.catch(c.Context, &all[i], c.Int("seeds"), c.Int("seconds"))
		if err != nil {
			return err
		}
		if !got.Found {
			missed++
		}
		if _, err := fmt.Fprintf(c.App.ErrWriter, "%s: found %v by %s after %d cases\n", got.Name, got.Found, got.By, got.Seeds); err != nil {
			return err
		}
		list = append(list, got)
	}
	err = printList(c, list, func(markdown bool) string { return caughtTable(list, markdown) })
	if err == nil && missed > 0 {
		err = fmt.Errorf("%w: %d of %d mistakes were missed", errFew, missed, len(list))
	}
	return err
}

func caughtTable(list []caught, markdown bool) string {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"mistake", "file", "found by", "cases"})
	for _, c := range list {
		by := c.By
		if !c.Found {
			by = "-"
		}
		t.AppendRow(table.Row{c.Name, c.File, by, c.Seeds})
	}
	return render(t, markdown)
}
