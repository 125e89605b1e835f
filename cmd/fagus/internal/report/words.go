package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/fagus/trace/analysis"
)

func headline(r *analysis.Result) string {
	return fmt.Sprintf("%s in %s mode on %s: %s, %s (%s time)", cmp.Or(r.Program, "a program"), r.Mode, cmp.Or(r.Net, "goroutines"), base.Count(r.Nodes, "rank"), figure.Short(r.Total), r.Clock)
}

// percent returns a share of a total, such as "12 %".
func percent(part, total analysis.Time) string {
	if total <= 0 || part <= 0 {
		return "0 %"
	}
	p := 100 * float64(part) / float64(total)
	if p < 1 {
		return "< 1 %"
	}
	return fmt.Sprintf("%.0f %%", p)
}

// share is a part of a total.
type share struct {
	Name, Percent string
	time          analysis.Time
}

// shares returns the causes that take time, the largest first.
func shares(s *analysis.Shares) (all []share) {
	for c, t := range s {
		if t > 0 {
			all = append(all, share{analysis.Cause(c).String(), percent(t, s.Total()), t})
		}
	}
	slices.SortStableFunc(all, func(a, b share) int { return cmp.Compare(b.time, a.time) })
	return all
}

// summary says in sentences where the time has gone, and what to do.
func summary(r *analysis.Result) (lines []string) {
	var parts []string
	for _, s := range shares(&r.Overall) {
		if s.time*50 >= r.Overall.Total() { // 2 %
			parts = append(parts, s.Percent+" "+s.Name)
		}
	}
	if len(parts) > 0 {
		lines = append(lines, "Of the time of all ranks: "+strings.Join(parts, ", ")+".")
	}
	if len(r.Path.Parts) > 0 {
		parts = parts[:0]
		for _, p := range r.Path.Parts[:min(3, len(r.Path.Parts))] {
			parts = append(parts, fmt.Sprintf("%s %s", percent(p.Time, r.Path.Shares.Total()), partText(p)))
		}
		lines = append(lines, "The end of the run waited for: "+strings.Join(parts, ", ")+".")
	}
	return lines
}

// through says at which ranks the critical path is.
func through(r *analysis.Result) string {
	longest, at := 0, 0
	for i, t := range r.Path.Ranks {
		if t > 0 {
			at++
		}
		if t > r.Path.Ranks[longest] {
			longest = i
		}
	}
	switch at {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("All of it is at rank %d.", r.Ranks[longest].Rank)
	}
	return fmt.Sprintf("It is at %s, longest at rank %d: %s.", base.Count(at, "rank"), r.Ranks[longest].Rank, percent(r.Path.Ranks[longest], r.Path.Shares.Total()))
}

// partText describes a part of the critical path.
func partText(p analysis.PathPart) string {
	switch {
	case p.Cause == analysis.Starting && p.Until != "":
		return "before the first call, at " + p.Until
	case p.Cause == analysis.Computing && (p.Until == "" || p.Until == p.Line):
		return "computing after " + p.Line
	case p.Cause == analysis.Computing:
		return "computing between " + p.Line + " and " + p.Until
	case p.Variable != "":
		return fmt.Sprintf("hand-over of %q at %s", p.Variable, p.Line)
	case p.Line == "":
		return p.Cause.String()
	}
	return p.Cause.String() + " at " + p.Line
}

// trackText says how a part of the network was used.
func trackText(t *analysis.NetTrack) string {
	return fmt.Sprintf("%s: busy %s of the run; %s waited %s each, %s at most, most of it %s", t.Name, share100(t.Busy), base.Count(t.Packets, "packet"), timeText(t.Mean), timeText(t.Longest), t.Most)
}

// share100 returns a share such as "12 %".
func share100(share float64) string { return percent(analysis.Time(share*1e6), 1e6) }

// pathInQueues says how much of the critical path packets for the rank in the path waited.
func pathInQueues(r *analysis.Result) string {
	n, path := r.Network, r.Path.Shares.Total()
	text := fmt.Sprintf("in %s of the critical path, packets for the rank in it waited in queues", percent(n.Critical, path))
	if n.Critical > 0 {
		text += fmt.Sprintf("; in %s of the path, behind packets between other ranks", percent(n.Behind, path))
	}
	if n.From > 0 {
		text += fmt.Sprintf(" (the trace has packets from %s on)", timeText(n.From))
	}
	return text
}

// adviceHead is the heading of the advice, or says that there is none.
func adviceHead(r *analysis.Result) string {
	switch {
	case r.Model.Time == 0:
		return "no predictions: ranks are missing, or the model cannot make their calls again"
	case !r.Model.Ok:
		return "no predictions: " + modelText(r)
	case len(r.Advice) == 0:
		return "nothing that this command knows would save 2 % of the time or more"
	}
	return "what would save most (each change alone)"
}

// modelText says how far the model is from the run.
func modelText(r *analysis.Result) string {
	if r.Model.Run <= 0 || r.Model.Time == 0 {
		return ""
	}
	off := 100 * (float64(r.Model.Time)/float64(r.Model.Run) - 1)
	if math.Abs(off) < 0.05 {
		return "the model of the unchanged run takes as long as the run"
	}
	return fmt.Sprintf("the model of the unchanged run is %+.1f %% off the run", off)
}

// about says what a cause is.
func about(c analysis.Cause) string {
	return [...]string{
		analysis.Starting:  "input, or the process of the rank starts",
		analysis.Computing: "between two calls",
		analysis.Writing:   "Release finds out what the tenure has changed",
		analysis.Late:      "other ranks have not made their calls yet",
		analysis.Held:      "another rank has a variable that the rank wants",
		analysis.Moving:    "the contents of variables move",
		analysis.Agreeing:  "the rest of a call: lists, requests, the network",
		analysis.Ending:    "serving others when the program has returned",
	}[c]
}

// sentence begins a text with a capital letter.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// timeText returns a time for a table.
func timeText(t analysis.Time) string {
	if t == 0 {
		return "0"
	}
	return figure.Short(t)
}

// bytesText returns a number of bytes with a unit.
func bytesText(n uint64) string {
	if n == 0 {
		return "0"
	}
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	x, unit := float64(n)/(1<<10), "KiB"
	for _, larger := range []string{"MiB", "GiB", "TiB"} {
		if x < 1000 {
			break
		}
		x, unit = x/(1<<10), larger
	}
	return fmt.Sprintf("%.3g %s", x, unit)
}
