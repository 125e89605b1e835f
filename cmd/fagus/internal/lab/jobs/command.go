//go:build linux

package jobs

import (
	"fmt"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const schema = "fagus.jobs/v1"

// Command returns the command fagus lab jobs.
func Command() *cli.Command {
	networks := runflags.OfProcesses()
	return &cli.Command{
		Name: "jobs", Usage: "run many short jobs of real processes, one after another, and count what they leave",
		UsageText: `fagus lab jobs [flags]

fagus lab jobs                                  100 jobs on each network
fagus lab jobs --net shm,tcp,quic --jobs 1000 --nodes 2
fagus lab jobs --net shm,tcp --jobs 5 --nodes 64
fagus lab jobs --seed 7 --seconds 600 --json | jq .rows`,
		Description: "The seed selects the program, its sizes, the mode and the number of ranks of each job. Each is a process\n" +
			"of fagus run, which verifies its result. Exit code 1: a result was wrong, or something was left behind.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "net", Value: "shm,tcp,quic", Usage: "networks, with commas between: " + networks.String()},
			&cli.IntFlag{Name: "jobs", Value: 100, Usage: "`N` jobs on each network"},
			&cli.StringFlag{Name: "nodes", Value: "2,3,4", Usage: "numbers of ranks to draw from, with commas between"},
			&cli.Float64Flag{Name: "seconds", DefaultText: "none", Usage: "start no job after `S` seconds"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of the jobs"},
			base.JSONFlag(schema),
		},
		Action: base.NoArgs(func(c *cli.Context) error {
			p, err := newCampaign(c, networks)
			if err != nil {
				return err
			}
			return p.report(c)
		}),
	}
}

func newCampaign(c *cli.Context, networks runflags.List) (*campaign, error) {
	p := &campaign{memory: sharedMemory, leave: 3 * time.Second, jobs: c.Int("jobs"), seed: c.Uint64("seed"), bound: time.Duration(c.Float64("seconds") * float64(time.Second))}
	var err error
	if p.nets, err = networks.FindAll(c.String("net")); err != nil {
		return nil, err
	}
	if p.nodes, err = base.Counts(c, "nodes"); err != nil {
		return nil, err
	}
	switch {
	case p.jobs < 1:
		return nil, usage.Errorf("--jobs %d: want at least 1", p.jobs)
	case p.nodes[0] < 1 || p.nodes[len(p.nodes)-1] > mostRanks:
		return nil, usage.Errorf("--nodes %s: want 1 to %d", c.String("nodes"), mostRanks)
	case p.bound < 0 || c.IsSet("seconds") && p.bound == 0:
		return nil, usage.Errorf("--seconds %v: want more than 0", c.Float64("seconds"))
	}
	return p, nil
}

// document is the result of the command.
type document struct {
	Schema   string    `json:"schema"`
	Seed     uint64    `json:"seed"`
	Nodes    []int     `json:"nodes"`
	Rows     []row     `json:"rows"`
	Mistakes []mistake `json:"mistakes"`
}

// report runs the campaign and prints its result.
func (p *campaign) report(c *cli.Context) (err error) {
	if p.folder, err = os.MkdirTemp("", "fagus-jobs-"); err != nil {
		return err
	}
	defer os.RemoveAll(p.folder)
	d := &document{Schema: schema, Seed: p.seed, Nodes: p.nodes, Mistakes: []mistake{}}
	bar := base.NewProgress(c.App.ErrWriter, "jobs", p.jobs*len(p.nets))
	err = p.run(c.Context, d, bar.Add)
	bar.Stop()
	if err != nil {
		return err
	}
	if err := base.PrintText(c, d, d.text); err != nil {
		return err
	}
	if n := len(d.Mistakes); n > 0 {
		return fmt.Errorf("%d jobs went wrong or left something behind", n)
	}
	return nil
}

func (d *document) text() string {
	t := base.NewTable(table.Row{"net", "jobs", "ranks", "wrong", "processes left", "/dev/shm", "sockets", "files", "seconds", "longest"}, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	for _, r := range d.Rows {
		t.AppendRow(table.Row{r.Network, r.Jobs, r.Ranks, r.Wrong, r.Left.Processes, r.Left.Segments, r.Left.Sockets, r.Left.Files, fmt.Sprintf("%.1f", r.Seconds), fmt.Sprintf("%.0f ms", r.MostMs)})
	}
	text := fmt.Sprintf("%s\n\nseed %d\n", t.Render(), d.Seed)
	for _, m := range d.Mistakes {
		text += fmt.Sprintf("\njob %d on %s: %s\n%s\n", m.Number, m.Network, m.Command, m.Why)
	}
	return text
}
