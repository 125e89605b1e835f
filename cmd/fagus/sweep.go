package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/reproduce"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

const sweepSchema = "fagus.sweep/v1"

func sweepCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	return &cli.Command{
		Name:            "sweep",
		Usage:           "measure over a range of nodes, of variables, or of unequal work",
		UsageText:       "fagus sweep barrier [flags]\nfagus sweep transfer [flags]\nfagus sweep variables [flags]\nfagus sweep imbalance [flags]",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Action:          group("sweep", "fagus sweep"),
		Subcommands: []*cli.Command{{
			Name:  "barrier",
			Usage: "barriers by stores over an 8-ary tree, in a fat tree of switches",
			UsageText: "fagus sweep barrier [flags]\n\n" +
				"fagus sweep barrier                     2 to 4096 nodes\n" +
				"fagus sweep barrier --nodes 8..64 --env A",
			HideHelpCommand: true,
			OnUsageError:    usage,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "nodes", Value: "2..4096", Usage: nodesUsage},
				&cli.StringFlag{Name: "env", Value: sim.DefaultEnv, Usage: "machine: " + strings.Join(sim.Envs(), ", ")},
				&cli.IntFlag{Name: "rounds", Value: 20, Usage: "mean of so many `BARRIERS`"},
				&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "the phases of polls come from `SEED`"},
				&cli.BoolFlag{Name: "json", Usage: "print one JSON document, schema " + sweepSchema},
			},
			Action: runSweepBarrier,
		}, sweepTransferCommand(usage), sweepMPICommand(usage), sweepVariablesCommand(usage), sweepImbalanceCommand(usage)},
	}
}

func runSweepBarrier(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q", c.Args().First())
	}
	nodes, err := parseNodes(c.String("nodes"), 2)
	if err != nil {
		return err
	}
	if err := checkRounds(c.Int("rounds"), c.Uint64("seed")); err != nil {
		return err
	}
	if _, err := sim.LoadPreset(c.String("env")); err != nil {
		return &usageError{err}
	}
	bar := newProgress(c.App.ErrWriter, "node counts", 1+len(nodes))
	cfg := reproduce.Config{Rounds: c.Int("rounds"), Seed: c.Uint64("seed"), Progress: func() { bar.add(1) }}
	points, err := reproduce.Sweep(c.Context, cfg, c.String("env"), nodes)
	bar.stop()
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, struct {
			Schema string                 `json:"schema"`
			Env    string                 `json:"env"`
			Seed   uint64                 `json:"seed"`
			Points []reproduce.SweepPoint `json:"points"`
		}{sweepSchema, c.String("env"), cfg.Seed, points})
	}
	_, err = fmt.Fprintf(c.App.Writer, "barrier by stores, env %s, means of %d, seed %d (virtual time)\n\n%s\n\n"+
		"one-switch formula: (two nodes back to back + a port's time for each child + one multicast transit) x levels, from the papers\n",
		c.String("env"), cfg.Rounds, cfg.Seed, sweepTable(points))
	return err
}

func sweepTable(points []reproduce.SweepPoint) string {
	t := newTable()
	t.AppendHeader(table.Row{"nodes", "levels", "switch levels", "barrier ns", "ns per level", "one-switch formula"})
	t.SetColumnConfigs(rightAligned(1, 2, 3, 4, 5, 6))
	for _, p := range points {
		formula := "-"
		if p.OneSwitch != nil {
			formula = fmt.Sprintf("%.0f", *p.OneSwitch)
		}
		t.AppendRow(table.Row{p.Nodes, p.Levels, p.Switches, fmt.Sprintf("%.0f", p.Barrier), fmt.Sprintf("%.0f", p.PerLevel), formula})
	}
	return t.Render()
}

const nodesUsage = "`COUNTS` of nodes: a list 2,16, or 2..64, doubling"

// parseNodes reads node counts of at least least: numbers with commas between, or
// LO..HI.
func parseNodes(s string, least int) (counts []int, err error) {
	mistake := usagef("--nodes %q: want numbers from %d to %d with commas between, or LO..HI", s, least, dimmnet.MaxNodes)
	number := func(s string) (n int) {
		n, e := strconv.Atoi(strings.TrimSpace(s))
		if e != nil || n < least || n > dimmnet.MaxNodes {
			err = mistake
		}
		return n
	}
	from, to, found := strings.Cut(s, "..")
	if !found {
		for _, item := range strings.Split(s, ",") {
			counts = append(counts, number(item))
		}
		return counts, err
	}
	lo, hi := number(from), number(to)
	if err != nil || lo > hi {
		return nil, mistake
	}
	for n := lo; n < hi; n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, hi), nil
}
