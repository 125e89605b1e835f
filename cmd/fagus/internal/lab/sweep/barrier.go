package sweep

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/reproduce"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func barrierCommand() *cli.Command {
	return &cli.Command{
		Name: "barrier", Usage: "barriers by stores over an 8-ary tree, in a fat tree of switches",
		UsageText: `fagus lab sweep barrier [flags]

fagus lab sweep barrier                     2 to 4096 nodes
fagus lab sweep barrier --nodes 8..64 --env A`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "nodes", Value: "2..4096", Usage: nodesUsage},
			cmdline.Flag(runflags.EnvFlag("", "machine")),
			&cli.IntFlag{Name: "rounds", Value: 20, Usage: "mean of `N` barriers"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of the phases of polls"},
			base.JSONFlag(schema),
		},
		Action: base.NoArgs(sweepBarrier),
	}
}

func sweepBarrier(c *cli.Context) error {
	nodes, err := parseNodes(c.String("nodes"), 2)
	if err != nil {
		return err
	}
	if err := base.CheckRounds(c.Int("rounds"), c.Uint64("seed")); err != nil {
		return err
	}
	if _, err := presets.Load(c.String("env")); err != nil {
		return usage.Wrap(err)
	}
	bar := base.NewProgress(c.App.ErrWriter, "node counts", 1+len(nodes))
	cfg := reproduce.Config{Rounds: c.Int("rounds"), Seed: c.Uint64("seed"), Progress: func() { bar.Add(1) }}
	points, err := reproduce.Sweep(c.Context, cfg, c.String("env"), nodes)
	bar.Stop()
	if err != nil {
		return err
	}
	document := struct {
		Schema string                 `json:"schema"`
		Env    string                 `json:"env"`
		Seed   uint64                 `json:"seed"`
		Points []reproduce.SweepPoint `json:"points"`
	}{schema, c.String("env"), cfg.Seed, points}
	return base.Printf(c, document, "barrier by stores, env %s, means of %d, seed %d (virtual time)\n\n%s\n\n"+
		"one-switch formula: (two nodes back to back + a port's time for each child + one multicast transit) x levels, from the papers\n",
		c.String("env"), cfg.Rounds, cfg.Seed, barrierTable(points))
}

func barrierTable(points []reproduce.SweepPoint) string {
	t := base.NewTable(table.Row{"nodes", "levels", "switch levels", "barrier ns", "ns per level", "one-switch formula"}, 1, 2, 3, 4, 5, 6)
	for _, p := range points {
		formula := "-"
		if p.OneSwitch != nil {
			formula = fmt.Sprintf("%.0f", *p.OneSwitch)
		}
		t.AppendRow(table.Row{p.Nodes, p.Levels, p.Switches, fmt.Sprintf("%.0f", p.Barrier), fmt.Sprintf("%.0f", p.PerLevel), formula})
	}
	return t.Render()
}
