package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/contest"
)

func variablesCommand() *cli.Command {
	const what = "what is compared"
	return &cli.Command{
		Name: "variables", Usage: "variables of different numbers and sizes, in phases and with threads",
		UsageText: `fagus lab sweep variables [flags]

fagus lab sweep variables                                1 to 256 variables of 8 to 4096 bytes, 2 simulated nodes
fagus lab sweep variables --independent --skew 1         no rank wants what another has, and rounds differ in length
fagus lab sweep variables --work 0s --bytes 8 --versions D1-Fagus2,D1-Fagus
fagus lab sweep variables --net inproc --work 10us       real goroutines, medians of 5 runs`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "variables", Category: what, Value: "1,4,16,64,256", Usage: "`COUNTS` of variables that a rank acquires at once"},
			&cli.StringFlag{Name: "bytes", Category: what, Value: "8,512,4096", Usage: "`SIZES` of a variable"},
			base.JSONFlag(schema),
		}, catalog.ManyFlags(what, 10), contest.Flags(what, contest.Inside)),
		Action: base.NoArgs(sweepVariables),
	}
}

type variablesPoint struct {
	Variables int        `json:"variables"`
	Bytes     int        `json:"bytes"`
	Versions  []standing `json:"versions"` // times are for one round
	Ahead     string     `json:"ahead,omitempty"`
	Lead      float64    `json:"lead,omitempty"`
}

func sweepVariables(c *cli.Context) error {
	t, points, err := compete(c, variablesPoints, int64(c.Int("rounds")), "rounds", func(p *variablesPoint, list []standing) {
		d := newDuel(list)
		p.Versions, p.Ahead, p.Lead = list, d.ahead, d.lead
	})
	if err != nil {
		return err
	}
	about := fmt.Sprintf("a round of the slowest rank, mean of %d; work %v, skew %v",
		c.Int("rounds"), catalog.VirtualTime(c.Duration("work")), c.Float64("skew"))
	if c.Bool("independent") {
		about += ", independent"
	}
	return printContest(c, t.Setting("many"), points, about, variablesTable(points), variablesVerdict(points))
}

// variablesPoints returns a point, and its job, for each size and each number of variables.
func variablesPoints(c *cli.Context) (points []variablesPoint, jobs []*catalog.Job, err error) {
	counts, err := base.Counts(c, "variables")
	if err != nil {
		return nil, nil, err
	}
	sizes, err := base.Counts(c, "bytes")
	if err != nil {
		return nil, nil, err
	}
	for _, size := range sizes {
		for _, count := range counts {
			j, err := catalog.Many(flagsOf(c), count, size)
			if err != nil {
				return nil, nil, err
			}
			points = append(points, variablesPoint{Variables: count, Bytes: size})
			jobs = append(jobs, j)
		}
	}
	return points, jobs, nil
}

func variablesTable(points []variablesPoint) string {
	t := standingsTable(points[0].Versions, table.Row{"bytes", "variables"}, []int{1, 2}, "ahead")
	for i, p := range points {
		if i > 0 && p.Bytes != points[i-1].Bytes {
			t.AppendSeparator()
		}
		t.AppendRow(append(times(table.Row{p.Bytes, p.Variables}, p.Versions), duel{p.Ahead, p.Lead}))
	}
	return t.Render()
}

func variablesVerdict(points []variablesPoint) string {
	var parts []string
	for _, mode := range []string{aheadPhase, aheadThreaded, aheadNeither} {
		where := whereAhead(points, mode)
		if where == "" {
			continue
		}
		if mode == aheadNeither {
			parts = append(parts, "neither wins with "+where)
			continue
		}
		lead := 0.0
		for _, p := range points {
			if p.Ahead == mode {
				lead = max(lead, p.Lead)
			}
		}
		parts = append(parts, fmt.Sprintf("%s win with %s, by up to %.2f times", mode, where, lead))
	}
	if len(parts) == 0 {
		return "Versions of one mode alone ran: there is nothing to compare."
	}
	return "In this run " + strings.Join(parts, "; ") + "."
}

// whereAhead says in words at which sizes and counts a mode is ahead; "" if nowhere.
func whereAhead(points []variablesPoint, mode string) string {
	type group struct {
		counts string
		sizes  []string
	}
	var groups []group
	for _, size := range slices.Compact(base.Map(points, func(p variablesPoint) int { return p.Bytes })) {
		var all, won []int
		for _, p := range points {
			if p.Bytes == size {
				all = append(all, p.Variables)
				if p.Ahead == mode {
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
	return listed(base.Map(groups, func(g group) string { return fmt.Sprintf("%s of %s bytes", g.counts, listed(g.sizes)) }))
}

func listed(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

// countsText describes the counts in won, some of the counts in all. Both lists ascend.
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
	return listed(base.Map(won, strconv.Itoa)) + " variables"
}
