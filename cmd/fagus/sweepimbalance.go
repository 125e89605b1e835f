package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

func sweepImbalanceCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const what = "what is compared"
	return &cli.Command{
		Name:  "imbalance",
		Usage: "tasks of unequal length, from a queue and shared out beforehand, in phases and with threads",
		UsageText: "fagus sweep imbalance [flags]\n\n" +
			"fagus sweep imbalance                                64 tasks on 2 simulated nodes\n" +
			"fagus sweep imbalance --skews 0,1 --tasks 256 --nodes 8\n" +
			"fagus sweep imbalance --net inproc                   real goroutines, medians of 5 runs",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "skews", Category: what, Value: "0,0.5,1", Usage: "`SKEWS`: the k-th longest task takes 1/k^skew of the longest"},
			&cli.IntFlag{Name: "tasks", Category: what, Value: 64, Usage: "number of `TASKS`"},
			&cli.IntFlag{Name: "batch", Category: what, Value: 1, Usage: "so many `TASKS` are taken at a time"},
			&cli.DurationFlag{Name: "work", Category: what, Value: 5 * time.Millisecond, Usage: "mean computation of a task: on the simulated machine it takes `TIME`, on a real one what it takes"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON document, schema " + sweepSchema},
		}, contestFlags(what)...),
		Action: runSweepImbalance,
	}
}

// imbalancePoint is what all versions came to with one skew and one way to share out.
type imbalancePoint struct {
	Skew     float64    `json:"skew"`
	Static   bool       `json:"static"`
	Versions []standing `json:"versions"` // the time of all tasks
}

// order says how the tasks come to the ranks.
func (p *imbalancePoint) order() string {
	if p.Static {
		return "static"
	}
	return "queue"
}

func runSweepImbalance(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q", c.Args().First())
	}
	t, err := newContest(c)
	if err != nil {
		return err
	}
	points, jobs, err := imbalancePoints(c)
	if err != nil {
		return err
	}
	ctx, cancel := withLimit(c.Context, c.Duration("timeout"))
	defer cancel()
	bar := newProgress(c.App.ErrWriter, "tasks", t.steps(jobs))
	standings, err := t.standings(ctx, jobs, 1, bar.add)
	bar.stop()
	if err != nil {
		return err
	}
	for i, list := range standings {
		points[i].Versions = list
	}
	verdict, run := imbalanceVerdict(points), t.setting("workqueue")
	if c.Bool("json") {
		return printJSON(c.App.Writer, struct {
			Schema string `json:"schema"`
			setting
			Points  []imbalancePoint `json:"points"`
			Verdict string           `json:"verdict"`
		}{sweepSchema, run, points, verdict})
	}
	about := fmt.Sprintf("%d tasks, %d at a time", c.Int("tasks"), c.Int("batch"))
	if run.Clock == dimmnet.Virtual {
		work := virtual(c.Duration("work")) * dimmnet.Time(c.Int("tasks"))
		about += fmt.Sprintf("; one rank alone computes for %v, %s at best %v", work, nodesText(run.Nodes), work/dimmnet.Time(run.Nodes))
	}
	_, err = fmt.Fprintf(c.App.Writer, "%s\n%s\n\n%s\n\n%s\n", run.where(), about, imbalanceTable(points), verdict)
	return err
}

// imbalancePoints reads what is to be run: by skew, shared out beforehand first.
func imbalancePoints(c *cli.Context) (points []imbalancePoint, jobs []*job, err error) {
	for _, item := range strings.Split(c.String("skews"), ",") {
		skew, err := strconv.ParseFloat(strings.TrimSpace(item), 64)
		if err != nil {
			return nil, nil, usagef("--skews %q: want numbers with commas between", c.String("skews"))
		}
		for _, static := range []bool{true, false} {
			cfg, err := workqueueConfig(c, skew, static)
			if err != nil {
				return nil, nil, err
			}
			points = append(points, imbalancePoint{Skew: skew, Static: static})
			jobs = append(jobs, workqueueJob(cfg))
		}
	}
	return points, jobs, nil
}

func imbalanceTable(points []imbalancePoint) string {
	t := newTable()
	header, aligned := table.Row{"skew", "tasks"}, []int{1}
	for i, s := range points[0].Versions {
		header, aligned = append(header, s.Version), append(aligned, 3+i)
	}
	t.AppendHeader(header)
	t.SetColumnConfigs(rightAligned(aligned...))
	for i := range points {
		p := &points[i]
		if p.Static && i > 0 {
			t.AppendSeparator()
		}
		row := table.Row{p.Skew, p.order()}
		for _, s := range p.Versions {
			row = append(row, s.TimeNs)
		}
		t.AppendRow(row)
	}
	return t.Render()
}

// imbalanceVerdict says in a sentence what is best for each skew, by what was measured
// alone. The points of a skew are two: static, and queue.
func imbalanceVerdict(points []imbalancePoint) string {
	var parts []string
	for i := 0; i+1 < len(points); i += 2 {
		first, second := &points[i], &points[i+1]
		a, b := quickest(first.Versions, ""), quickest(second.Versions, "")
		if b.TimeNs.Median < a.TimeNs.Median {
			first, second, a, b = second, first, b, a
		}
		verb := "is ahead"
		if b.TimeNs.Min <= a.TimeNs.Max || float64(b.TimeNs.Median) <= float64(a.TimeNs.Median)*(1+closeTo) {
			verb = "is not clearly ahead"
		}
		parts = append(parts, fmt.Sprintf("at skew %v %s (%s, %v) %s of %s (%s, %v)",
			first.Skew, first.order(), a.Version, a.TimeNs, verb, second.order(), b.Version, b.TimeNs))
	}
	return "In this run, each in its quickest version, " + strings.Join(parts, "; ") + "."
}
