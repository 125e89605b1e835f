package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// mostRings is the most nodes that a sweep runs by rings alone: 745 fit an LLCM,
// but simulating more than this takes hours.
const mostRings = 256

func sweepTransferCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	return &cli.Command{
		Name:  "transfer",
		Usage: "matmul by rings and by PUSH, and on both NICs, side by side",
		UsageText: "fagus sweep transfer [flags]\n\n" +
			"fagus sweep transfer                          n = 512 on 2 and 16 simulated nodes\n" +
			"fagus sweep transfer --n 2048 --nodes 2,16\n" +
			"fagus sweep transfer --net dimmnet1,dimmnet2  DIMMnet-1 against DIMMnet-2",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Value: 512, Usage: "multiply two generated `N` x N matrices"},
			&cli.StringFlag{Name: "nodes", Value: "2,16", Usage: nodesUsage},
			&cli.StringFlag{Name: "net", Value: netDIMMnet1, Usage: "networks, with commas between: " + netDIMMnet1 + ", " + netDIMMnet2},
			&cli.StringFlag{Name: "env", Value: sim.DefaultEnv, Usage: "machine: " + strings.Join(sim.Envs(), ", ")},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON document, schema " + sweepSchema},
		},
		Action: runSweepTransfer,
	}
}

// productSweep reads the flags of a sweep of products on simulated NICs.
func productSweep(c *cli.Context) (cfg matmul.Config, counts []int, nets []string, err error) {
	cfg, nets = matmul.Square(c.Int("n")), strings.Split(c.String("net"), ",")
	if c.Args().Present() {
		return cfg, nil, nil, usagef("unexpected argument %q", c.Args().First())
	}
	if err := cfg.Validate(); err != nil {
		return cfg, nil, nil, &usageError{err}
	}
	for _, net := range nets {
		if net != netDIMMnet1 && net != netDIMMnet2 {
			return cfg, nil, nil, usagef("--net %q: want %s, %s or both", net, netDIMMnet1, netDIMMnet2)
		}
	}
	if _, err := sim.LoadPreset(c.String("env")); err != nil {
		return cfg, nil, nil, &usageError{err}
	}
	counts, err = parseNodes(c.String("nodes"), 1)
	return cfg, counts, nets, err
}

func runSweepTransfer(c *cli.Context) error {
	cfg, counts, nets, err := productSweep(c)
	if err != nil {
		return err
	}
	runs, err := runTransfers(c, cfg, counts, nets)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, struct {
			Schema string       `json:"schema"`
			Env    string       `json:"env"`
			Runs   []*runReport `json:"runs"`
		}{sweepSchema, c.String("env"), runs})
	}
	_, err = fmt.Fprintf(c.App.Writer, "matmul %d x %d, env %s (virtual time; acquire and update: mean over the ranks)\n\n%s\n",
		cfg.N, cfg.N, c.String("env"), transferTable(runs))
	return err
}

// runTransfers runs the program on all networks, by both ways.
func runTransfers(c *cli.Context, cfg matmul.Config, counts []int, nets []string) (runs []*runReport, err error) {
	ways := []fagus.Transfer{fagus.Rings, fagus.Push}
	bar := newProgress(c.App.ErrWriter, "rows", len(counts)*len(ways)*len(nets)*cfg.M)
	defer bar.stop()
	for _, nodes := range counts {
		for _, net := range nets {
			for _, way := range ways {
				if way == fagus.Rings && nodes > mostRings {
					bar.add(cfg.M)
					continue
				}
				r, err := runTransfer(c.Context, net, c.String("env"), nodes, way, cfg, bar.add)
				if err != nil {
					return nil, err
				}
				runs = append(runs, r)
			}
		}
	}
	return runs, nil
}

// runTransfer runs the program on a simulated network.
func runTransfer(ctx context.Context, net, env string, nodes int, way fagus.Transfer, cfg matmul.Config, progress func(int)) (*runReport, error) {
	p := &placement{nodes: nodes, mode: fagus.Phase, net: net, env: env, by: way}
	if err := p.connect(false); err != nil {
		return nil, err
	}
	return productJob(cfg, nil).verified(ctx, p, progress)
}

func transferTable(runs []*runReport) string {
	t := newTable()
	t.AppendHeader(table.Row{"nodes", "net", "by", "total", "compute", "acquire", "update", "AOTF", "BOTF", "PUSH", "bytes"})
	t.SetColumnConfigs(rightAligned(1, 4, 5, 6, 7, 8, 9, 10, 11))
	show := func(ns int64) dimmnet.Time { return dimmnet.Time(ns) * dimmnet.Nanosecond }
	for i, r := range runs {
		if i > 0 && r.Nodes != runs[i-1].Nodes {
			t.AppendSeparator()
		}
		t.AppendRow(table.Row{r.Nodes, r.Net, r.Transfer, show(r.TimeNs["total"]), show(r.TimeNs["compute"]), show(r.TimeNs["acquire"]), show(r.TimeNs["update"]),
			r.Messages.AOTF, r.Messages.BOTF, r.Messages.Push, r.Bytes})
	}
	return t.Render()
}
