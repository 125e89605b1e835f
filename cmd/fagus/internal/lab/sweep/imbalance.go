package sweep

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
	"github.com/fagus-dsm/fagus/dimmnet"
	numbers "github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func imbalanceCommand() *cli.Command {
	const what = "what is compared"
	return &cli.Command{
		Name: "imbalance", Usage: "tasks of unequal length, from a queue and dealt out beforehand, in phases and with threads",
		UsageText: `fagus lab sweep imbalance [flags]

fagus lab sweep imbalance                                64 tasks on 2 simulated nodes
fagus lab sweep imbalance --skews 0,1 --tasks 256 --nodes 8
fagus lab sweep imbalance --net inproc                   real goroutines, medians of 5 runs`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "skews", Category: what, Value: "0,0.5,1", Usage: "`SKEWS`: the k-th longest task takes 1/k^skew of the longest"},
			base.JSONFlag(schema),
		}, catalog.WorkqueueFlags(what, 64, 5*time.Millisecond), contest.Flags(what, contest.Inside)),
		Action: base.NoArgs(sweepImbalance),
	}
}

type imbalancePoint struct {
	Skew     float64    `json:"skew"`
	Static   bool       `json:"static"`
	Versions []standing `json:"versions"` // times are for all tasks together
}

func (p *imbalancePoint) order() string {
	if p.Static {
		return "static"
	}
	return "queue"
}

func sweepImbalance(c *cli.Context) error {
	t, points, err := compete(c, imbalancePoints, 1, "tasks", func(p *imbalancePoint, list []standing) { p.Versions = list })
	if err != nil {
		return err
	}
	setting := t.Setting("workqueue")
	about := fmt.Sprintf("%d tasks, %d at a time", c.Int("tasks"), c.Int("batch"))
	if setting.Clock == dimmnet.Virtual {
		work := catalog.VirtualTime(c.Duration("work")) * dimmnet.Time(c.Int("tasks"))
		about += fmt.Sprintf("; one rank alone computes for %v, %s at best %v", work, runflags.NodesText(setting.Nodes), work/dimmnet.Time(setting.Nodes))
	}
	return printContest(c, setting, points, about, imbalanceTable(points), imbalanceVerdict(points))
}

// imbalancePoints returns two points per skew, static and then queue, and a job for each point.
func imbalancePoints(c *cli.Context) (points []imbalancePoint, jobs []*catalog.Job, err error) {
	for item := range strings.SplitSeq(c.String("skews"), ",") {
		skew, err := numbers.Float(strings.TrimSpace(item))
		if err != nil {
			return nil, nil, usage.Errorf("--skews %q: want numbers with commas between", c.String("skews"))
		}
		for _, static := range []bool{true, false} {
			j, err := catalog.Workqueue(flagsOf(c), skew, static)
			if err != nil {
				return nil, nil, err
			}
			points = append(points, imbalancePoint{Skew: skew, Static: static})
			jobs = append(jobs, j)
		}
	}
	return points, jobs, nil
}

func imbalanceTable(points []imbalancePoint) string {
	t := standingsTable(points[0].Versions, table.Row{"skew", "tasks"}, []int{1})
	for i := range points {
		p := &points[i]
		if p.Static && i > 0 {
			t.AppendSeparator()
		}
		t.AppendRow(times(table.Row{p.Skew, p.order()}, p.Versions))
	}
	return t.Render()
}

// imbalanceVerdict says in words for each skew whether its point static or queue was faster.
func imbalanceVerdict(points []imbalancePoint) string {
	var parts []string
	for i := 0; i+1 < len(points); i += 2 {
		first, second := &points[i], &points[i+1]
		a, b := quickest(first.Versions, ""), quickest(second.Versions, "")
		if b.TimeNs.Median < a.TimeNs.Median {
			first, second, a, b = second, first, b, a
		}
		verb := "is ahead"
		if b.TimeNs.Min <= a.TimeNs.Max || float64(b.TimeNs.Median) <= float64(a.TimeNs.Median)*(1+significant) {
			verb = "is not clearly ahead"
		}
		parts = append(parts, fmt.Sprintf("at skew %v %s (%s, %v) %s of %s (%s, %v)",
			first.Skew, first.order(), a.Version, a.TimeNs, verb, second.order(), b.Version, b.TimeNs))
	}
	return "In this run, each in its quickest version, " + strings.Join(parts, "; ") + "."
}
