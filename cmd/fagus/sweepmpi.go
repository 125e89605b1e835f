package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/mpimatmul"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/mpi"
	"github.com/fagus-dsm/fagus/dimmnet/mpi/ivs"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

func sweepMPICommand(usage cli.OnUsageErrorFunc) *cli.Command {
	return &cli.Command{
		Name:  "mpi",
		Usage: "matmul by messages (MPI) and by shared arrays (Fagus), on the same NIC",
		UsageText: "fagus sweep mpi [flags]\n\n" +
			"fagus sweep mpi                                 n = 512 on 2 to 16 simulated nodes with DIMMnet-2\n" +
			"fagus sweep mpi --net dimmnet1,dimmnet2 --n 1024",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Value: 512, Usage: "multiply two generated `N` x N matrices"},
			&cli.StringFlag{Name: "nodes", Value: "2,4,8,16", Usage: nodesUsage},
			&cli.StringFlag{Name: "net", Value: netDIMMnet2, Usage: "networks, with commas between: " + netDIMMnet1 + ", " + netDIMMnet2},
			&cli.StringFlag{Name: "env", Value: sim.DefaultEnv, Usage: "machine: " + strings.Join(sim.Envs(), ", ")},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON document, schema " + sweepSchema},
		},
		Action: runSweepMPI,
	}
}

// mpiPoint is what a product came to.
type mpiPoint struct {
	Net     string `json:"net"`
	Nodes   int    `json:"nodes"`
	By      string `json:"by"`
	Total   int64  `json:"total_ns"` // of the slowest rank
	Compute int64  `json:"compute_ns"`
}

func runSweepMPI(c *cli.Context) error {
	cfg, counts, nets, err := productSweep(c)
	if err != nil {
		return err
	}
	bar := newProgress(c.App.ErrWriter, "products", 2*len(counts)*len(nets))
	defer bar.stop()
	var points []mpiPoint
	for _, net := range nets {
		for _, nodes := range counts {
			p, err := mpiProduct(c.Context, net, c.String("env"), nodes, cfg.N)
			if err != nil {
				return err
			}
			bar.add(1)
			r, err := runTransfer(c.Context, net, c.String("env"), nodes, fagus.Auto, cfg, func(int) {})
			if err != nil {
				return err
			}
			bar.add(1)
			points = append(points, p, mpiPoint{net, nodes, "fagus", r.MeasuredNs, r.TimeNs["compute"]})
		}
	}
	bar.stop()
	if c.Bool("json") {
		return printJSON(c.App.Writer, struct {
			Schema string     `json:"schema"`
			N      int        `json:"n"`
			Env    string     `json:"env"`
			Points []mpiPoint `json:"points"`
		}{sweepSchema, cfg.N, c.String("env"), points})
	}
	t := newTable()
	t.AppendHeader(table.Row{"net", "nodes", "by", "total", "compute", "the rest"})
	t.SetColumnConfigs(rightAligned(2, 4, 5, 6))
	show := func(ns int64) dimmnet.Time { return dimmnet.Time(ns) * dimmnet.Nanosecond }
	for _, p := range points {
		t.AppendRow(table.Row{p.Net, p.Nodes, p.By, show(p.Total), show(p.Compute), show(p.Total - p.Compute)})
	}
	_, err = fmt.Fprintf(c.App.Writer, "matmul %d x %d, env %s (virtual time of the slowest rank)\n\n%s\n", cfg.N, cfg.N, c.String("env"), t.Render())
	return err
}

// mpiProduct is the product by messages: over rings in the LLCM, or in the SO-DIMM of DIMMnet-2.
func mpiProduct(ctx context.Context, net, env string, nodes, n int) (point mpiPoint, err error) {
	p := &placement{nodes: nodes, net: net, env: env}
	if err := p.connect(false); err != nil {
		return point, err
	}
	var total, compute dimmnet.Time
	err = p.network.Run(ctx, nodes, func(h dimmnet.Host) error {
		var opts mpi.Options
		if net == netDIMMnet2 {
			link, err := ivs.New(h, ivs.Config{})
			if err != nil {
				return err
			}
			opts.Link = link
		}
		return mpi.Run(h, opts, func(c *mpi.Comm) error {
			r, err := mpimatmul.Run(h, c, n)
			if r.Wrong > 0 {
				return fmt.Errorf("%d elements of the product by MPI are wrong", r.Wrong)
			}
			total, compute = max(total, r.Total), max(compute, r.Compute)
			return err
		})
	})
	return mpiPoint{net, nodes, "mpi", int64(total / dimmnet.Nanosecond), int64(compute / dimmnet.Nanosecond)}, err
}
