package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Command returns the command fagus compare.
func Command() *cli.Command {
	return &cli.Command{
		Name: "compare", Usage: "run a program in all versions of Fagus, and compare their times; for matmul, judge the paper's claims",
		UsageText: "fagus compare PROGRAM [flags]\n\nfagus compare matmul --out report    a page with figures, and the claims of the paper\n" +
			"fagus compare ./app --out report     a program of one's own",
		ArgsUsage:   "PROGRAM",
		Subcommands: append(base.Map(catalog.Programs(), programCommand), ownCommand()),
	}
}

func programCommand(p catalog.Program) *cli.Command {
	const what = "what is compared"
	flags := slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: p.Scale.Flag, Category: what, Value: strings.Join(p.Scale.Sizes, ","), Usage: "`SIZES` of the problem, with commas between"},
	}, outputFlags(), contest.Flags(what, contest.Either))
	if p.Name == ofThePaper {
		flags = append(flags, sensitivityFlag(what))
	}
	return &cli.Command{
		Name: p.Name, Usage: p.About, UsageText: usageText(p),
		Flags: append(flags, fixedFlags(p)...),
		Action: base.NoArgs(func(c *cli.Context) error {
			e, err := newSideBySide(c, contest.Either, catalogSubject(c, p.Name), c.String(p.Scale.Flag))
			if err != nil {
				return err
			}
			return e.compare(c)
		}),
	}
}

func outputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: outName, Category: base.OutputCategory, Usage: "write index.html, compare.json and figures to the folder `DIR`, which is created if missing"},
		base.JSONFlag(schema),
	}
}

// outName is the flag that names the folder of the page.
const outName = "out"

func usageText(p catalog.Program) string {
	last := p.Scale.Sizes[len(p.Scale.Sizes)-1]
	text := fmt.Sprintf(`fagus compare %[1]s [flags]

fagus compare %[1]s                 on 2 simulated nodes, with --%[2]s %[3]s
fagus compare %[1]s --out report    with figures and a page
fagus compare %[1]s --net inproc    real goroutines, medians of 5 runs
fagus compare %[1]s --%[2]s %[4]s --nodes 4 --json | jq .results[].time_ns.total`, p.Name, p.Scale.Flag, strings.Join(p.Scale.Sizes, ","), last)
	if p.Name == ofThePaper {
		text += `
fagus compare matmul --n 256,512 --nodes 4           other sizes and nodes
fagus compare matmul --sync row     a variable for each row: many requests
fagus compare matmul --loss 0.01 --seed 1            UDP-Fagus on a network that loses datagrams
fagus compare matmul --n 512 --nodes 16 --json | jq .claims`
	}
	return text
}

func (e *sideBySide) compare(c *cli.Context) error {
	dir := c.String(outName)
	if c.IsSet(outName) {
		if err := makeFolder(dir); err != nil {
			return err
		}
	}
	units, sensitive := e.units(), c.Bool(sensitivityName)
	if sensitive {
		if err := e.checkSensitivity(); err != nil {
			return err
		}
		units += e.ofClaims().units() * len(presets.HostCostNames()) * len(otherFactors())
	}
	bar := base.NewProgress(c.App.ErrWriter, e.unit, units)
	e.progress = bar.Add
	ctx, end := e.Limit(c)
	defer end()
	result, err := e.run(ctx)
	if err == nil && sensitive {
		result.Sensitivity, err = e.sensitivities(ctx)
	}
	bar.Stop()
	if err != nil {
		return err
	}
	if dir != "" {
		if err := writeComparison(dir, result, e.traces); err != nil {
			return err
		}
	}
	return base.PrintText(c, result, result.text)
}

// sideBySide is a comparison that has not run yet.
type sideBySide struct {
	*contest.Contest
	*subject
	sizes    []size
	progress func(units int)

	traces map[string][]fagus.Stats // by version, for the largest size, if it ran
}

// newSideBySide returns the comparison of s in the contest that the flags describe, with the sizes
// of a list.
func newSideBySide(c *cli.Context, in contest.Runs, s *subject, sizes string) (*sideBySide, error) {
	t, err := contest.New(c, in)
	if err != nil {
		return nil, err
	}
	e := &sideBySide{Contest: t, subject: s, traces: make(map[string][]fagus.Stats)}
	if e.sizes, err = s.sizes(c.Context, sizes, t.Config); err != nil {
		return nil, err
	}
	return e, nil
}

// makeFolder creates dir if it is missing. It returns an error if no file can be created in dir.
func makeFolder(dir string) error {
	if dir == "" {
		return usage.Errorf("--out \"\": want the name of a folder")
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return usage.Errorf("--out %s: not a folder", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		var errno syscall.Errno
		errors.As(err, &errno)
		return fmt.Errorf("cannot make folder %s: %w", dir, errno)
	}
	return outfile.CheckFolder(dir)
}

// units returns the number of steps of all runs together; 0 means unknown.
func (e *sideBySide) units() (units int) {
	for _, s := range e.sizes {
		units += s.units * len(e.Versions) * e.Repeat
	}
	return units
}

func (e *sideBySide) run(ctx context.Context) (*comparison, error) {
	name := func(v contest.Version, item int) string {
		if e.flag == "" {
			return v.Name
		}
		return fmt.Sprintf("%s with %s = %s", v.Name, e.flag, e.sizes[item].value)
	}
	runs, err := contest.InTurn(e.Contest, len(e.sizes), name, func(cfg runflags.Config, v contest.Version, item, round int) (*experiment.Run, error) {
		cfg.Timeline = true // for the critical path
		o, err := e.subject.run(ctx, &e.sizes[item], cfg, e.progress)
		if err == nil && round == 0 && item == len(e.sizes)-1 && o.Spans != nil {
			e.traces[v.Name] = o.Spans
		}
		return o, err
	})
	if err != nil {
		return nil, err
	}
	c := &comparison{Schema: schema, Setting: e.Setting(e.name), Command: e.command, Sync: e.sync, SizeFlag: e.flag}
	for _, s := range e.sizes {
		c.Sizes = append(c.Sizes, s.n)
		c.SizeNames = append(c.SizeNames, s.value)
		c.SizeTexts = append(c.SizeTexts, s.text)
	}
	c.Versions = base.Map(e.Versions, func(v contest.Version) comparedVersion {
		return comparedVersion{v.Name, v.About, v.Role, v.Notices(), v.Direct()}
	})
	for i, s := range e.sizes {
		for j, v := range e.Versions {
			c.Results = append(c.Results, sum(v.Name, s.n, runs[i][j]))
		}
	}
	c.Claims = claims(c)
	c.Warnings = c.differences()
	return c, nil
}
