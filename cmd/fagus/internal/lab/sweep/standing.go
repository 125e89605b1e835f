package sweep

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/run"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

type standing struct {
	Version string `json:"version"`
	Mode    string `json:"mode"`
	Notices bool   `json:"notices"`
	Direct  bool   `json:"direct"`
	// TimeNs is the slowest rank's time in the measured section, divided by compete's divisor.
	TimeNs repeat.Sample `json:"time_ns"`
	Runs   []*run.Report `json:"runs"`
}

func flagsOf(c *cli.Context) catalog.Flags {
	return catalog.Flags{Context: c, Nodes: c.Int("nodes"), Seed: c.Uint64("seed")}
}

// compete runs every version of a contest with the job of each point that prepare returns, divides
// the times by divisor, and lets keep store them. step is the name of a step of the progress bar.
func compete[Point any](c *cli.Context, prepare func(*cli.Context) ([]Point, []*catalog.Job, error), divisor int64, step string, keep func(*Point, []standing)) (*contest.Contest, []Point, error) {
	t, err := contest.New(c, contest.Inside)
	if err != nil {
		return nil, nil, err
	}
	points, jobs, err := prepare(c)
	if err != nil {
		return nil, nil, err
	}
	steps := 0
	for _, j := range jobs {
		steps += j.Units * len(t.Versions) * t.Repeat
	}
	bar := base.NewProgress(c.App.ErrWriter, step, steps)
	defer bar.Stop()
	ctx, end := t.Limit(c)
	defer end()
	name := func(v contest.Version, item int) string { return fmt.Sprintf("%s with %s", v.Name, jobs[item].Size) }
	runs, err := contest.InTurn(t, len(jobs), name, func(cfg runflags.Config, _ contest.Version, item, _ int) (*run.Report, error) {
		return run.Verified(ctx, cfg, jobs[item], bar.Add)
	})
	if err != nil {
		return nil, nil, err
	}
	for item := range jobs {
		var list []standing
		for i, v := range t.Versions {
			values := base.Map(runs[item][i], func(r *run.Report) int64 { return r.MeasuredNs / divisor })
			list = append(list, standing{v.Name, runs[item][i][0].Mode, v.Notices(), v.Direct(), repeat.NewSample(values), runs[item][i]})
		}
		keep(&points[item], list)
	}
	return t, points, nil
}

// standingsTable returns a table without rows. Its columns are first, a column per version, and
// last. numbers lists the columns of first that hold numbers, counted from 1.
func standingsTable(versions []standing, first table.Row, numbers []int, last ...any) table.Writer {
	header, aligned := first, numbers
	for i, s := range versions {
		header, aligned = append(header, s.Version), append(aligned, len(first)+1+i)
	}
	return base.NewTable(append(header, last...), aligned...)
}

func times(row table.Row, versions []standing) table.Row {
	for _, s := range versions {
		row = append(row, s.TimeNs)
	}
	return row
}

func printContest[Point any](c *cli.Context, setting contest.Setting, points []Point, about, table, verdict string) error {
	document := struct {
		Schema string `json:"schema"`
		contest.Setting
		Points  []Point `json:"points"`
		Verdict string  `json:"verdict"`
	}{schema, setting, points, verdict}
	return base.Printf(c, document, "%s\n%s\n\n%s\n\n%s\n", setting.Where(), about, table, verdict)
}

// quickest returns the version of a mode with the least median, or nil; mode "" means any mode.
func quickest(list []standing, mode string) (best *standing) {
	for i := range list {
		if s := &list[i]; (mode == "" || s.Mode == mode) && (best == nil || s.TimeNs.Median < best.TimeNs.Median) {
			best = s
		}
	}
	return best
}

// The values of duel.ahead.
const (
	aheadPhase    = "phases"
	aheadThreaded = "threads"
	aheadNeither  = "neither"
)

// duel compares the quickest version of each mode with one job.
type duel struct {
	ahead string  // the faster mode; "" unless both modes ran
	lead  float64 // the loser's time divided by the winner's
}

// significant is the least relative difference of times that puts a mode ahead.
const significant = 0.01

func newDuel(list []standing) duel {
	p, t := quickest(list, fagus.Phase.String()), quickest(list, fagus.Threaded.String())
	if p == nil || t == nil {
		return duel{}
	}
	d := duel{ahead: aheadPhase}
	if t.TimeNs.Median < p.TimeNs.Median {
		p, t, d.ahead = t, p, aheadThreaded
	}
	d.lead = float64(max(1, t.TimeNs.Median)) / float64(max(1, p.TimeNs.Median))
	if d.lead <= 1+significant || t.TimeNs.Min <= p.TimeNs.Max {
		d.ahead = aheadNeither
	}
	return d
}

func (d duel) String() string {
	if d.ahead == "" {
		return "-"
	}
	if d.ahead == aheadNeither {
		return aheadNeither
	}
	return fmt.Sprintf("%s, %.2f x", d.ahead, d.lead)
}
