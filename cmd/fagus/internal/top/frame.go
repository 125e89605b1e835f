package top

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/metrics"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// around is the number of lines of a frame that are no ranks.
const around = 6

// frame returns what to show of a run: a summary, and a line for each rank. before, which may be
// nil, is from some time ago. Lines are at most width long, and there are at most height of them,
// but no less than one rank; 0: no limit.
func frame(before, now *metrics.Document, width, height int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s mode on %s, %d of %d ranks answer, %s clock\n", now.Program, now.Mode, now.Net, len(now.Ranks), now.Nodes, now.Clock)
	rates := newRates(before, now)
	b.WriteString(summary(now, rates) + "\n")
	late := waitedFor(now)
	ranks := slices.Clone(now.Ranks)
	left := 0
	if height > 0 && len(ranks) > max(1, height-around) {
		// Those for which others wait come first.
		slices.SortStableFunc(ranks, func(x, y meter.State) int { return late[y.Rank] - late[x.Rank] })
		left = len(ranks) - max(1, height-around)
		ranks = ranks[:len(ranks)-left]
	}
	t := base.NewTable(table.Row{"rank", "state", "for", "done", rateName(now), "posted/s", "arrived/s", "waiting", "waits for", "line", "set"}, 1, 3, 4, 5, 6, 7, 8)
	for _, r := range ranks {
		rate := rates[r.Rank]
		t.AppendRow(table.Row{
			r.Rank, metrics.State(r), duration(r.Does.For), done(r), rate.text(rate.calls, ""), rate.text(rate.bytes, "B"), rate.text(rate.arrived, "B"),
			rate.waiting(), waitsFor(r), r.Does.Line, r.Does.Set,
		})
	}
	b.WriteString(t.Render() + "\n")
	if left > 0 {
		fmt.Fprintf(&b, "and %d more ranks\n", left)
	}
	return clean(b.String(), width)
}

// summary says how fast the run is, and for which rank others wait most.
func summary(d *metrics.Document, rates map[int]rate) string {
	var sum rate
	var parts []string
	for _, r := range rates {
		sum.known = true
		sum.calls, sum.bytes, sum.arrived = max(sum.calls, r.calls), sum.bytes+r.bytes, sum.arrived+r.arrived
	}
	if p := progress(d); p.Of > 0 {
		parts = append(parts, fmt.Sprintf("%.0f %% done (%d of %d)", rollcall.Percent(p.Fraction()), p.Done, p.Of))
	}
	if sum.known {
		parts = append(parts, sum.text(sum.calls, "")+" "+rateName(d), fmt.Sprintf("%s/s posted, %s/s arrived", sum.text(sum.bytes, "B"), sum.text(sum.arrived, "B")))
	}
	late := waitedFor(d)
	most := -1
	for r, n := range late {
		if most < 0 || n > late[most] || n == late[most] && r < most {
			most = r
		}
	}
	if most >= 0 {
		parts = append(parts, fmt.Sprintf("rank %d is waited for by %d", most, late[most]))
	}
	if len(parts) == 0 {
		return "the ranks begin"
	}
	return strings.Join(parts, "; ")
}

// progress returns how far the run is.
func progress(d *metrics.Document) rollcall.Progress { return roll(d).Progress() }

// roll returns what the ranks do that have answered; the others are away.
func roll(d *metrics.Document) rollcall.Roll {
	all := rollcall.Roll{Ranks: make([]rollcall.Entry, d.Nodes)}
	for r := range all.Ranks {
		all.Ranks[r].Away = true
	}
	for _, r := range d.Ranks {
		all.Ranks[r.Rank] = r.Does
	}
	return all
}

// done returns how much of its work a rank has done, if its program says so.
func done(r meter.State) string {
	if r.Does.Of <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", rollcall.Percent(min(1, float64(r.Does.Done)/float64(r.Does.Of))))
}

// waitedFor returns for each rank how many others wait for it while it is in no call.
func waitedFor(d *metrics.Document) map[int]int {
	by := make(map[int]int)
	for _, r := range roll(d).Late() {
		for _, other := range d.Ranks {
			for _, of := range other.Does.Wait.Ranks {
				if int(of) == r {
					by[r]++
				}
			}
		}
	}
	return by
}

// rate is what a rank has done in a second, if it is known.
type rate struct {
	known                 bool
	calls, bytes, arrived float64
	waited, all           time.Duration // in the time of all; 0: unknown
}

// calls returns how often the rank has met the others or, where ranks do not go in step, how many
// calls it has made.
func calls(d *metrics.Document, r meter.State) uint64 {
	if rateName(d) == callsName {
		return r.Does.Calls
	}
	return r.Counts.Phases
}

const callsName = "calls/s"

func rateName(d *metrics.Document) string {
	if d.Mode == fagus.Phase.String() {
		return "phases/s"
	}
	return callsName
}

func newRates(before, now *metrics.Document) map[int]rate {
	rates := make(map[int]rate)
	if before == nil {
		return rates
	}
	took := now.At.Sub(before.At)
	last := make(map[int]meter.State)
	for _, r := range before.Ranks {
		last[r.Rank] = r
	}
	for _, r := range now.Ranks {
		then, known := last[r.Rank]
		was := then.Counts
		if !known || took <= 0 || calls(now, r) < calls(now, then) || r.Counts.Bytes < was.Bytes {
			continue // it has begun, or begun again
		}
		per := func(now, before uint64) float64 { return float64(now-before) / took.Seconds() }
		of := rate{known: true, calls: per(calls(now, r), calls(now, then)), bytes: per(r.Counts.Bytes, was.Bytes), arrived: per(r.Counts.Arrived, was.Arrived)}
		if now.Clock == "wall" {
			of.all = took
			for why, w := range r.Counts.Waits {
				of.waited += w.Time - was.Waits[why].Time
			}
			if r.Does.Wait.For != "" && of.waited == 0 {
				of.waited = min(took, r.Does.For) // a wait counts when it is over
			}
		}
		rates[r.Rank] = of
	}
	return rates
}

// text returns a rate with a unit.
func (r rate) text(v float64, unit string) string {
	if !r.known {
		return ""
	}
	if unit == "" {
		return strings.TrimSpace(humanize.SIWithDigits(v, 1, ""))
	}
	return humanize.Bytes(uint64(max(0, v)))
}

// waiting returns the share of the time in which the rank has waited for others.
func (r rate) waiting() string {
	if r.all == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*min(1, max(0, r.waited.Seconds()/r.all.Seconds())))
}

func duration(d time.Duration) string {
	if d < 100*time.Millisecond {
		return ""
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// waitsFor returns the ranks for which a rank waits.
func waitsFor(r meter.State) string {
	if len(r.Does.Wait.Ranks) == 0 {
		return ""
	}
	text := strings.Trim(fmt.Sprint(r.Does.Wait.Ranks), "[]")
	if r.Does.Wait.More > 0 {
		text += fmt.Sprintf(" and %d more", r.Does.Wait.More)
	}
	return text
}

// clean returns the lines of text without control characters, and at most width runes of each. A
// terminal obeys control characters, and names of variables come from outside.
func clean(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return -1
			}
			return r
		}, line)
		if runes := []rune(line); width > 0 && len(runes) > width {
			line = string(runes[:width])
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
