package sweep

import (
	"context"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/run"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func transferCommand() *cli.Command {
	return &cli.Command{
		Name: "transfer", Usage: "matmul by rings and by PUSH, and on both NICs, side by side",
		UsageText: `fagus lab sweep transfer [flags]

fagus lab sweep transfer                          n = 512 on 2 and 16 simulated nodes
fagus lab sweep transfer --n 2048 --nodes 2,16
fagus lab sweep transfer --net dimmnet1,dimmnet2  DIMMnet-1 against DIMMnet-2`,
		Flags:  productFlags("2,16", runflags.DIMMnet1),
		Action: base.NoArgs(sweepTransfer),
	}
}

func sweepTransfer(c *cli.Context) error {
	p, err := readProducts(c)
	if err != nil {
		return err
	}
	runs, err := runTransfers(c, &p)
	if err != nil {
		return err
	}
	document := struct {
		Schema string        `json:"schema"`
		Env    string        `json:"env"`
		Cost   string        `json:"host_cost,omitempty"`
		Runs   []*run.Report `json:"runs"`
	}{schema, p.env, p.hostCost, runs}
	return base.Printf(c, document, "matmul %d x %d, env %s%s (virtual time; acquire and update: mean over the ranks)\n\n%s\n",
		p.N, p.N, p.env, runflags.HostCostText(p.hostCost), transferTable(runs))
}

func runTransfers(c *cli.Context, p *products) (runs []*run.Report, err error) {
	transfers := []fagus.Transfer{fagus.Rings, fagus.Push}
	bar := base.NewProgress(c.App.ErrWriter, "rows", len(p.counts)*len(transfers)*len(p.networks)*p.M)
	defer bar.Stop()
	for _, nodes := range p.counts {
		for _, network := range p.networks {
			for _, by := range transfers {
				if by == fagus.Rings && nodes > contest.MostRings {
					bar.Add(p.M)
					continue
				}
				r, err := p.run(c.Context, network, nodes, by, bar.Add)
				if err != nil {
					return nil, err
				}
				runs = append(runs, r)
			}
		}
	}
	return runs, nil
}

func transferTable(runs []*run.Report) string {
	t := base.NewTable(table.Row{"nodes", "net", "by", "total", "compute", "acquire", "update", "AOTF", "BOTF", "PUSH", "bytes"}, 1, 4, 5, 6, 7, 8, 9, 10, 11)
	for i, r := range runs {
		if i > 0 && r.Nodes != runs[i-1].Nodes {
			t.AppendSeparator()
		}
		row := table.Row{r.Nodes, r.Net, r.Transfer}
		for _, part := range []string{"total", "compute", "acquire", "update"} {
			row = append(row, base.Nanoseconds(r.TimeNs[part]))
		}
		t.AppendRow(append(row, r.Messages.AOTF, r.Messages.BOTF, r.Messages.Push, r.Bytes))
	}
	return t.Render()
}

// products is a series of matrix products of one size, for each simulated network and node count.
type products struct {
	matmul.Config
	env      string
	hostCost string // runflags.Config.HostCost
	networks runflags.List
	counts   []int // node counts
}

// productFlags returns the flags of readProducts. nodes and net are defaults of --nodes and --net.
func productFlags(nodes, net string) []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "n", Value: 512, Usage: "multiply two generated `N` x N matrices"},
		&cli.StringFlag{Name: "nodes", Value: nodes, Usage: nodesUsage},
		&cli.StringFlag{Name: "net", Value: net, Usage: "networks, with commas between: " + nics().String()},
		cmdline.Flag(runflags.EnvFlag("", "machine")),
		cmdline.Flag(runflags.HostCostFlag("")),
		base.JSONFlag(schema),
	}
}

func nics() runflags.List { return runflags.Named(runflags.DIMMnet1, runflags.DIMMnet2) }

func readProducts(c *cli.Context) (p products, err error) {
	p.Config, p.env, p.hostCost = matmul.Square(c.Int("n")), c.String("env"), runflags.ReadHostCost(cmdline.Line(c))
	if err := p.Validate(); err != nil {
		return p, usage.Wrap(err)
	}
	if p.networks, err = nics().FindAll(c.String("net")); err != nil {
		return p, err
	}
	if _, err := presets.Load(p.env); err != nil {
		return p, usage.Wrap(err)
	}
	p.counts, err = parseNodes(c.String("nodes"), 1)
	return p, err
}

func (p *products) run(ctx context.Context, network runflags.Network, nodes int, by fagus.Transfer, progress func(int)) (*run.Report, error) {
	cfg := runflags.Config{Config: fagus.Config{Transfer: by}, Network: network, Nodes: nodes, Env: p.env, HostCost: p.hostCost}
	return run.Verified(ctx, cfg, catalog.Product(p.Config), progress)
}
