package sweep

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
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
	Fault    string      `json:"fault,omitempty"` // late, refused (not on so many nodes) or failed
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
	s, points, err := scaleStudy(c)
	if err != nil {
		return err
	}
	bar := base.NewProgress(c.App.ErrWriter, "runs", len(points))
	failure := s.Run(c.Context, func() { bar.Add(1) }) // the rows of earlier runs are printed
	bar.Stop()
	for i := range points {
		if s.Points[i].Wall == 0 {
			points = points[:i]
			break
		}
		points[i].measure(&s.Points[i])
	}
	if len(points) > 0 && points[0].Nodes <= 2 { // larger numbers of nodes may be too many
		failure = cmp.Or(failure, s.Impossible())
	}
	if len(points) == 0 || usage.Is(failure) {
		return failure
	}
	document := struct {
		Schema string       `json:"schema"`
		Limit  float64      `json:"limit_s"`
		Points []scalePoint `json:"points"`
	}{schema, s.By.Limit.Seconds(), points}
	err = base.Printf(c, document, "virtual time; messages, bytes and host time per rank and phase, and again of repeated phases alone; wall time of the simulation\n\n%s%s\n", scaleTable(points), s.Faults())
	return cmp.Or(failure, err, s.Failed())
}

// scaleStudy returns the study that the flags describe, and a point for each of its points.
func scaleStudy(c *cli.Context) (s *experiment.Study, points []scalePoint, err error) {
	counts, err := parseNodes(c.String("nodes"), 2)
	if err != nil {
		return nil, nil, err
	}
	s = &experiment.Study{By: experiment.Fagus{Limit: c.Duration("limit")}, Programs: c.Args().Slice(), Common: "--net dimmnet1 --env fagus2", Repeat: 1}
	if len(s.Programs) == 0 {
		s.Programs = []string{"stencil", "p2p", "sor", "cg", "conjugate", "ep", "kmeans"}
	}
	if s.By.Limit <= 0 {
		return nil, nil, usage.Errorf("--limit %v: want a time above 0", s.By.Limit)
	}
	sizes := make([]string, len(counts))
	if c.IsSet("n") {
		if sizes = strings.Split(c.String("n"), ","); len(sizes) != len(counts) {
			return nil, nil, usage.Errorf("--n %q: want %d sizes, one for each number of nodes, with commas between", c.String("n"), len(counts))
		}
	}
	nodes, lists, ways := experiment.Axis{Flag: "--nodes"}, experiment.Axis{Flag: "--lists"}, []fagus.Lists(nil)
	for i, n := range counts {
		value := strconv.Itoa(n)
		if sizes[i] = strings.TrimSpace(sizes[i]); c.IsSet("n") {
			value += " --n " + sizes[i]
		}
		nodes.Values = append(nodes.Values, value)
	}
	for name := range strings.SplitSeq(c.String("lists"), ",") {
		var way fagus.Lists
		if err := way.UnmarshalText([]byte(strings.TrimSpace(name))); err != nil {
			return nil, nil, usage.Errorf("--lists %q: want %v, %v or %v, with commas between", c.String("lists"), fagus.ListsAll, fagus.ListsTree, fagus.ListsAuto)
		}
		lists.Values, ways = append(lists.Values, way.String()), append(ways, way)
	}
	s.Axes = []experiment.Axis{nodes, lists}
	for _, program := range s.Programs {
		for i, n := range counts {
			for _, way := range ways {
				points = append(points, scalePoint{Program: program, Nodes: n, N: sizes[i], Lists: way})
			}
		}
	}
	return s, points, nil
}

// measure fills in what a run has measured.
func (p *scalePoint) measure(from *experiment.Point) {
	p.Wall, p.Fault = from.Wall, from.Word()
	if p.Fault != "" {
		return
	}
	r := from.Runs[0]
	p.TimeNs, p.Phases, p.Repeated = r.MeasuredNs, r.Phases, r.Repeated
	m, per := r.Messages, float64(p.Nodes)*float64(max(r.Phases, 1))
	p.Messages, p.Bytes, p.HostNs = float64(m.AOTF+m.BOTF+m.Push)/per, float64(r.Bytes)/per, float64(r.HostNs)/per
	if r.Repeated > 0 {
		per = float64(p.Nodes) * float64(r.Repeated)
		p.RepeatedMessages, p.RepeatedBytes, p.RepeatedHostNs = float64(r.RepeatedMessages)/per, float64(r.RepeatedBytes)/per, float64(r.RepeatedHostNs)/per
	}
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
