package sweep

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/apps/matmul"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/run"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

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
		runflags.EnvFlag("", "machine"),
		runflags.HostCostFlag(""),
		base.JSONFlag(schema),
	}
}

func nics() runflags.List { return runflags.Named(runflags.DIMMnet1, runflags.DIMMnet2) }

func readProducts(c *cli.Context) (p products, err error) {
	p.Config, p.env, p.hostCost = matmul.Square(c.Int("n")), c.String("env"), runflags.ReadHostCost(c)
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
	return runJob(ctx, cfg, catalog.Product(p.Config), progress)
}
