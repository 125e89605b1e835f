package sweep

import (
	"context"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/mpimatmul"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/mpi"
	"github.com/fagus-dsm/fagus/dimmnet/lib/mpi/ivs"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

func mpiCommand() *cli.Command {
	return &cli.Command{
		Name: "mpi", Usage: "matmul by messages (MPI) and by shared arrays (Fagus), on the same NIC",
		UsageText: `fagus lab sweep mpi [flags]

fagus lab sweep mpi                                 n = 512 on 2 to 16 simulated nodes with DIMMnet-2
fagus lab sweep mpi --net dimmnet1,dimmnet2 --n 1024`,
		Flags:  productFlags("2,4,8,16", runflags.DIMMnet2),
		Action: base.NoArgs(sweepMPI),
	}
}

type mpiPoint struct {
	Net     string `json:"net"`
	Nodes   int    `json:"nodes"`
	By      string `json:"by"`
	Total   int64  `json:"total_ns"` // total time of the slowest rank
	Compute int64  `json:"compute_ns"`
}

func sweepMPI(c *cli.Context) error {
	p, err := readProducts(c)
	if err != nil {
		return err
	}
	bar := base.NewProgress(c.App.ErrWriter, "products", 2*len(p.counts)*len(p.networks))
	defer bar.Stop()
	var points []mpiPoint
	for _, network := range p.networks {
		for _, nodes := range p.counts {
			byMPI, err := p.runMPI(c.Context, network, nodes)
			if err != nil {
				return err
			}
			bar.Add(1)
			r, err := p.run(c.Context, network, nodes, fagus.Auto, func(int) {})
			if err != nil {
				return err
			}
			bar.Add(1)
			points = append(points, byMPI, mpiPoint{network.Name, nodes, "fagus", r.MeasuredNs, r.TimeNs["compute"]})
		}
	}
	bar.Stop()
	document := struct {
		Schema string     `json:"schema"`
		N      int        `json:"n"`
		Env    string     `json:"env"`
		Cost   string     `json:"host_cost,omitempty"`
		Points []mpiPoint `json:"points"`
	}{schema, p.N, p.env, p.hostCost, points}
	t := base.NewTable(table.Row{"net", "nodes", "by", "total", "compute", "the rest"}, 2, 4, 5, 6)
	for _, p := range points {
		t.AppendRow(table.Row{p.Net, p.Nodes, p.By, base.Nanoseconds(p.Total), base.Nanoseconds(p.Compute), base.Nanoseconds(p.Total - p.Compute)})
	}
	return base.Printf(c, document, "matmul %d x %d, env %s%s (virtual time of the slowest rank)\n\n%s\n", p.N, p.N, p.env, runflags.HostCostText(p.hostCost), t.Render())
}

// runMPI measures a product whose ranks exchange MPI messages. On DIMMnet-1 the messages go
// through rings in the LLCM, on DIMMnet-2 through rings in the SO-DIMM.
func (p *products) runMPI(ctx context.Context, network runflags.Network, nodes int) (point mpiPoint, err error) {
	on, err := runflags.Config{Network: network, Nodes: nodes, Env: p.env, HostCost: p.hostCost}.Open(ctx)
	if err != nil {
		return point, err
	}
	var total, compute dimmnet.Time
	err = on.Net.Run(ctx, nodes, func(h dimmnet.Host) error {
		var opts mpi.Options
		if network.Name == runflags.DIMMnet2 {
			link, err := ivs.New(h, ivs.Config{})
			if err != nil {
				return err
			}
			opts.Link = link
		}
		return mpi.Run(h, opts, func(c *mpi.Comm) error {
			r, err := mpimatmul.Run(h, c, p.N)
			if r.Wrong > 0 {
				return fmt.Errorf("%d elements of the product by MPI are wrong", r.Wrong)
			}
			total, compute = max(total, r.Total), max(compute, r.Compute)
			return err
		})
	})
	return mpiPoint{network.Name, nodes, "mpi", int64(total / dimmnet.Nanosecond), int64(compute / dimmnet.Nanosecond)}, err
}
