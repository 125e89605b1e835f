package sweep

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog/usage"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

func scaleCommand() *cli.Command {
	const what = "what is run"
	return &cli.Command{
		Name: "scale", Usage: "programs on more and more simulated nodes, with lists between all pairs and over a tree", ArgsUsage: "[PROGRAM ...]",
		UsageText: `fagus lab sweep scale [flags] [PROGRAM ...]

fagus lab sweep scale                                stencil, p2p, sor, cg, conjugate, ep and kmeans on 2 to 64 nodes
fagus lab sweep scale --nodes 8..512 --lists tree stencil
fagus lab sweep scale --limit 10s --json p2p conjugate
fagus lab sweep scale --nodes 8,32,128 --n 500,1000,2000 stencil   weak scaling: as many points a rank`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "nodes", Category: what, Value: "2,8,16,32,64", Usage: nodesUsage},
			&cli.StringFlag{Name: "lists", Category: what, Value: "all,tree", Usage: "`WAYS` in which lists reach all ranks: all, tree or auto, with commas between"},
			&cli.StringFlag{Name: "n", Category: what, Usage: "the program's `SIZES`, its --n, one for each number of nodes, with commas between; without it, the default of fagus run PROGRAM"},
			&cli.DurationFlag{Name: "limit", Category: what, Value: time.Minute, Usage: "give up a run after `TIME` by the wall clock"},
			base.JSONFlag(schema),
		},
		Action: sweepScale,
	}
}

// scalePoint is one run of a program. Rates are per rank and phase.
type scalePoint struct {
	Program  string      `json:"program"`
	Nodes    int         `json:"nodes"`
	N        string      `json:"n,omitempty"` // of --n
	Lists    fagus.Lists `json:"lists"`
	Fault    string      `json:"fault,omitempty"` // late, or refused: not on so many nodes
	TimeNs   int64       `json:"measured_ns"`
	Phases   uint64      `json:"phases"`
	Repeated uint64      `json:"repeated_phases"`
	Messages float64     `json:"messages"`
	Bytes    float64     `json:"bytes"`
	HostNs   float64     `json:"host_ns"`
	// Of the repeated phases alone:
	RepeatedMessages float64       `json:"repeated_messages"`
	RepeatedBytes    float64       `json:"repeated_bytes"`
	RepeatedHostNs   float64       `json:"repeated_host_ns"`
	Wall             time.Duration `json:"wall_ns"` // of the simulation
}

func sweepScale(c *cli.Context) error {
	points, err := scalePoints(c)
	if err != nil {
		return err
	}
	limit := c.Duration("limit")
	bar := base.NewProgress(c.App.ErrWriter, "runs", len(points))
	defer bar.Stop()
	var failure error // of a run, or because the command is to end: the rows before it are printed
	for i := range points {
		if failure = points[i].run(c.Context, limit); failure != nil {
			points = points[:i]
			break
		}
		bar.Add(1)
	}
	bar.Stop()
	if len(points) == 0 {
		return failure
	}
	document := struct {
		Schema string       `json:"schema"`
		Limit  float64      `json:"limit_s"`
		Points []scalePoint `json:"points"`
	}{schema, limit.Seconds(), points}
	err = base.Printf(c, document, "virtual time; messages, bytes and host time per rank and phase, and again of repeated phases alone; wall time of the simulation\n\n%s\n", scaleTable(points))
	return cmp.Or(failure, err)
}

func scalePoints(c *cli.Context) (points []scalePoint, err error) {
	counts, err := parseNodes(c.String("nodes"), 2)
	if err != nil {
		return nil, err
	}
	if c.Duration("limit") <= 0 {
		return nil, usage.Errorf("--limit %v: want a time above 0", c.Duration("limit"))
	}
	var sizes []string
	if c.IsSet("n") {
		if sizes = strings.Split(c.String("n"), ","); len(sizes) != len(counts) {
			return nil, usage.Errorf("--n %q: want %d sizes, one for each number of nodes, with commas between", c.String("n"), len(counts))
		}
	}
	programs := c.Args().Slice()
	if len(programs) == 0 {
		programs = []string{"stencil", "p2p", "sor", "cg", "conjugate", "ep", "kmeans"}
	}
	var ways []fagus.Lists
	for name := range strings.SplitSeq(c.String("lists"), ",") {
		var way fagus.Lists
		if err := way.UnmarshalText([]byte(strings.TrimSpace(name))); err != nil {
			return nil, usage.Errorf("--lists %q: want %v, %v or %v, with commas between", c.String("lists"), fagus.ListsAll, fagus.ListsTree, fagus.ListsAuto)
		}
		ways = append(ways, way)
	}
	for _, program := range programs {
		for i, nodes := range counts {
			for _, way := range ways {
				p := scalePoint{Program: program, Nodes: nodes, Lists: way}
				if sizes != nil {
					p.N = strings.TrimSpace(sizes[i])
				}
				points = append(points, p)
			}
		}
	}
	return points, nil
}

// run runs the program in a process of its own.
func (p *scalePoint) run(ctx context.Context, limit time.Duration) error {
	args := []string{p.Program, "--net", runflags.DIMMnet1, "--env", "fagus2", "--nodes", strconv.Itoa(p.Nodes), "--lists", p.Lists.String()}
	if p.N != "" {
		args = append(args, "--n", p.N)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	r, err := experiment.Fagus{}.Run(limited, args...)
	p.Wall = time.Since(began)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		p.Fault = "late"
		return nil
	case err != nil && p.Nodes > 2 && usage.Is(err):
		p.Fault = "refused"
		return nil
	case err != nil:
		return err
	}
	p.TimeNs, p.Phases, p.Repeated = r.MeasuredNs, r.Phases, r.Repeated
	m, per := r.Messages, float64(p.Nodes)*float64(max(r.Phases, 1))
	p.Messages, p.Bytes, p.HostNs = float64(m.AOTF+m.BOTF+m.Push)/per, float64(r.Bytes)/per, float64(r.HostNs)/per
	if r.Repeated > 0 {
		per = float64(p.Nodes) * float64(r.Repeated)
		p.RepeatedMessages, p.RepeatedBytes, p.RepeatedHostNs = float64(r.RepeatedMessages)/per, float64(r.RepeatedBytes)/per, float64(r.RepeatedHostNs)/per
	}
	return nil
}

func scaleTable(points []scalePoint) string {
	t := base.NewTable(table.Row{"program", "nodes", "n", "lists", "time", "phases", "messages", "bytes", "host", "repeated", "messages", "bytes", "host", "wall"}, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
	for i, p := range points {
		if i > 0 && p.Program != points[i-1].Program {
			t.AppendSeparator()
		}
		if p.Fault != "" {
			t.AppendRow(table.Row{p.Program, p.Nodes, p.N, p.Lists, p.Fault, "", "", "", "", "", "", "", "", p.Wall.Round(time.Millisecond * 100)})
			continue
		}
		t.AppendRow(table.Row{p.Program, p.Nodes, p.N, p.Lists, base.Nanoseconds(p.TimeNs), p.Phases, round(p.Messages), round(p.Bytes), base.Nanoseconds(int64(p.HostNs)),
			p.Repeated, round(p.RepeatedMessages), round(p.RepeatedBytes), base.Nanoseconds(int64(p.RepeatedHostNs)), p.Wall.Round(time.Millisecond * 100)})
	}
	return t.Render()
}

func round(x float64) float64 { return float64(int64(x*10+0.5)) / 10 }
