package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"
)

func sweepVariablesCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	const what = "what is compared"
	return &cli.Command{
		Name:  "variables",
		Usage: "how many variables of what size, in phases and with threads",
		UsageText: "fagus sweep variables [flags]\n\n" +
			"fagus sweep variables                                1 to 256 variables of 8 to 4096 bytes, 2 simulated nodes\n" +
			"fagus sweep variables --independent --skew 1         nobody wants what another has, and rounds are unequal\n" +
			"fagus sweep variables --work 0s --bytes 8 --versions D1-Fagus2,D1-Fagus\n" +
			"fagus sweep variables --net inproc --work 10us       real goroutines, medians of 5 runs",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "variables", Category: what, Value: "1,4,16,64,256", Usage: "`COUNTS` of variables that a rank acquires at once"},
			&cli.StringFlag{Name: "bytes", Category: what, Value: "8,512,4096", Usage: "`SIZES` of a variable"},
			&cli.IntFlag{Name: "rounds", Category: what, Value: 10, Usage: "mean of so many `ROUNDS`"},
			workFlag(what, 100*time.Microsecond),
			&cli.Float64Flag{Name: "skew", Category: what, Usage: "the last rank computes 1 + `SKEW` times as long as rank 0"},
			&cli.BoolFlag{Name: "independent", Category: what, Usage: "every rank keeps its variables; who computes longer does fewer rounds"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON document, schema " + sweepSchema},
		}, contestFlags(what)...),
		Action: runSweepVariables,
	}
}

// variablesPoint is what all versions came to with so many variables of one size.
type variablesPoint struct {
	Variables int        `json:"variables"`
	Bytes     int        `json:"bytes"`
	Versions  []standing `json:"versions"` // the time of a round
	Ahead     string     `json:"ahead,omitempty"`
	Lead      float64    `json:"lead,omitempty"`
}

func runSweepVariables(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q", c.Args().First())
	}
	t, err := newContest(c)
	if err != nil {
		return err
	}
	points, jobs, err := variablesPoints(c)
	if err != nil {
		return err
	}
	ctx, cancel := withLimit(c.Context, c.Duration("timeout"))
	defer cancel()
	bar := newProgress(c.App.ErrWriter, "rounds", t.steps(jobs))
	standings, err := t.standings(ctx, jobs, int64(c.Int("rounds")), bar.add)
	bar.stop()
	if err != nil {
		return err
	}
	for i, list := range standings {
		d := newDuel(list)
		points[i].Versions, points[i].Ahead, points[i].Lead = list, d.ahead, d.lead
	}
	verdict, run := variablesVerdict(points), t.setting("many")
	if c.Bool("json") {
		return printJSON(c.App.Writer, struct {
			Schema string `json:"schema"`
			setting
			Points  []variablesPoint `json:"points"`
			Verdict string           `json:"verdict"`
		}{sweepSchema, run, points, verdict})
	}
	cfg := manyConfig(c)
	_, err = fmt.Fprintf(c.App.Writer, "%s\na round of the slowest rank, mean of %d; work %v, skew %v%s\n\n%s\n\n%s\n",
		run.where(), cfg.Rounds, cfg.Work, cfg.Skew, map[bool]string{true: ", independent"}[cfg.Independent], variablesTable(points), verdict)
	return err
}

// variablesPoints reads what is to be run: by size, then by count.
func variablesPoints(c *cli.Context) (points []variablesPoint, jobs []*job, err error) {
	counts, err := parseCounts("variables", c.String("variables"))
	if err != nil {
		return nil, nil, err
	}
	sizes, err := parseCounts("bytes", c.String("bytes"))
	if err != nil {
		return nil, nil, err
	}
	for _, size := range sizes {
		for _, count := range counts {
			cfg := manyConfig(c)
			cfg.Variables, cfg.Bytes = count, size
			if err := cfg.Validate(); err != nil {
				return nil, nil, &usageError{err}
			}
			points = append(points, variablesPoint{Variables: count, Bytes: size})
			jobs = append(jobs, manyJob(cfg, c.Int("nodes")))
		}
	}
	return points, jobs, nil
}

func variablesTable(points []variablesPoint) string {
	t := newTable()
	header, aligned := table.Row{"bytes", "variables"}, []int{1, 2}
	for i, s := range points[0].Versions {
		header, aligned = append(header, s.Version), append(aligned, 3+i)
	}
	t.AppendHeader(append(header, "ahead"))
	t.SetColumnConfigs(rightAligned(aligned...))
	for i, p := range points {
		if i > 0 && p.Bytes != points[i-1].Bytes {
			t.AppendSeparator()
		}
		row := table.Row{p.Bytes, p.Variables}
		for _, s := range p.Versions {
			row = append(row, s.TimeNs)
		}
		t.AppendRow(append(row, duel{p.Ahead, p.Lead}))
	}
	return t.Render()
}

// variablesVerdict says in a sentence who is ahead where, by what was measured alone.
func variablesVerdict(points []variablesPoint) string {
	var parts []string
	for _, who := range []string{aheadPhase, aheadThreaded, aheadNobody} {
		where := whereAhead(points, who)
		if where == "" {
			continue
		}
		if who == aheadNobody {
			parts = append(parts, "neither wins with "+where)
			continue
		}
		lead := 0.0
		for _, p := range points {
			if p.Ahead == who {
				lead = max(lead, p.Lead)
			}
		}
		parts = append(parts, fmt.Sprintf("%s win with %s, by up to %.2f times", who, where, lead))
	}
	if len(parts) == 0 {
		return "Versions of one mode alone ran: there is nothing to compare."
	}
	return "In this run " + strings.Join(parts, "; ") + "."
}

// whereAhead says with how many variables of which sizes somebody is ahead; empty:
// nowhere. Sizes with which it is the same are named together.
func whereAhead(points []variablesPoint, who string) string {
	type group struct {
		counts string
		sizes  []string
	}
	var groups []group
	for _, size := range sizesOf(points) {
		var all, won []int
		for _, p := range points {
			if p.Bytes == size {
				all = append(all, p.Variables)
				if p.Ahead == who {
					won = append(won, p.Variables)
				}
			}
		}
		if len(won) == 0 {
			continue
		}
		text := countsText(all, won)
		at := slices.IndexFunc(groups, func(g group) bool { return g.counts == text })
		if at < 0 {
			at, groups = len(groups), append(groups, group{counts: text})
		}
		groups[at].sizes = append(groups[at].sizes, strconv.Itoa(size))
	}
	var texts []string
	for _, g := range groups {
		texts = append(texts, fmt.Sprintf("%s of %s bytes", g.counts, listed(g.sizes)))
	}
	return listed(texts)
}

// listed has commas between, and an and before the last.
func listed(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

// sizesOf are the sizes of points, rising.
func sizesOf(points []variablesPoint) (sizes []int) {
	for _, p := range points {
		if !slices.Contains(sizes, p.Bytes) {
			sizes = append(sizes, p.Bytes)
		}
	}
	return sizes
}

// countsText says which of all numbers of variables won; both are rising.
func countsText(all, won []int) string {
	first := slices.Index(all, won[0])
	together := slices.Equal(all[first:first+len(won)], won)
	switch last := won[len(won)-1]; {
	case len(won) == len(all) && len(all) > 1:
		return fmt.Sprintf("%d to %d variables (all counts)", all[0], last)
	case together && first+len(won) == len(all) && len(won) > 1:
		return fmt.Sprintf("%d and more variables", won[0])
	case together && len(won) > 1:
		return fmt.Sprintf("%d to %d variables", won[0], last)
	case len(won) == 1 && last == 1:
		return "1 variable"
	}
	var list []string
	for _, n := range won {
		list = append(list, strconv.Itoa(n))
	}
	return listed(list) + " variables"
}
