package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/reproduce"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

const sweepSchema = "fagus.sweep/v1"

func sweepCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	return &cli.Command{
		Name:            "sweep",
		Usage:           "measure over a range of node counts",
		UsageText:       "fagus sweep barrier [flags]\nfagus sweep transfer [flags]",
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
				&cli.StringFlag{Name: "nodes", Value: "2..4096", Usage: "from `LO..HI`, doubling"},
				&cli.StringFlag{Name: "env", Value: sim.DefaultEnv, Usage: "machine: " + strings.Join(sim.Envs(), ", ")},
				&cli.IntFlag{Name: "rounds", Value: 20, Usage: "mean of so many `BARRIERS`"},
				&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "the phases of polls come from `SEED`"},
				&cli.BoolFlag{Name: "json", Usage: "print one JSON document, schema " + sweepSchema},
			},
			Action: runSweepBarrier,
		}, sweepTransferCommand(usage)},
	}
}

func runSweepBarrier(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q", c.Args().First())
	}
	lo, hi, err := parseRange(c.String("nodes"))
	if err != nil {
		return err
	}
	if c.Int("rounds") < 1 || c.Uint64("seed") == 0 {
		return usagef("--rounds %d, --seed %d: want at least 1", c.Int("rounds"), c.Uint64("seed"))
	}
	if _, err := sim.LoadPreset(c.String("env")); err != nil {
		return &usageError{err}
	}
	steps := 1
	for n := lo; n < hi; n *= 2 {
		steps++
	}
	bar := newProgress(c.App.ErrWriter, "node counts", steps)
	cfg := reproduce.Config{Rounds: c.Int("rounds"), Seed: c.Uint64("seed"), Progress: func() { bar.add(1) }}
	points, err := reproduce.Sweep(c.Context, cfg, c.String("env"), lo, hi)
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
		"expected: (two nodes back to back + a port's time for each further child + one multicast transit) x levels, as spec/10 has it\n",
		c.String("env"), cfg.Rounds, cfg.Seed, sweepTable(points))
	return err
}

func sweepTable(points []reproduce.SweepPoint) string {
	t := newTable()
	t.AppendHeader(table.Row{"nodes", "levels", "switch levels", "barrier ns", "ns per level", "expected ns"})
	t.SetColumnConfigs(rightAligned(1, 2, 3, 4, 5, 6))
	for _, p := range points {
		t.AppendRow(table.Row{p.Nodes, p.Levels, p.Switches, fmt.Sprintf("%.0f", p.Barrier), fmt.Sprintf("%.0f", p.PerLevel), fmt.Sprintf("%.0f", p.Expected)})
	}
	return t.Render()
}

// parseRange reads LO..HI, or one number.
func parseRange(s string) (lo, hi int, err error) {
	from, to, found := strings.Cut(s, "..")
	if !found {
		to = from
	}
	lo, errLo := strconv.Atoi(from)
	hi, errHi := strconv.Atoi(to)
	if errLo != nil || errHi != nil || lo < 2 || hi < lo || hi > 1<<16 {
		return 0, 0, usagef("--nodes %q: want LO..HI with 2 <= LO <= HI <= 65536", s)
	}
	return lo, hi, nil
}
