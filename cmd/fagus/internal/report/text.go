package report

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/fagus/trace/analysis"
)

const (
	mostParts  = 5 // of the critical path in the text
	mostAdvice = 6
	mostTracks = 5
)

// text returns the short answer for a terminal.
func text(r *analysis.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", headline(r))
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "note: %s\n", w)
	}
	fmt.Fprint(&b, "\nwhere the time of all ranks went\n")
	for _, s := range shares(&r.Overall) {
		fmt.Fprintf(&b, "  %5s  %s\n", s.Percent, s.Name)
	}
	fmt.Fprint(&b, "\nwhat the end of the run waited for (the critical path)\n")
	for i, p := range r.Path.Parts {
		if i == mostParts {
			break
		}
		fmt.Fprintf(&b, "  %5s  %s\n", percent(p.Time, r.Path.Shares.Total()), partText(p))
	}
	if n := r.Network; n != nil {
		fmt.Fprint(&b, "\nwhere packets waited in the network\n")
		for i, t := range n.Tracks {
			if i == mostTracks || t.Queued == 0 {
				break
			}
			fmt.Fprintf(&b, "  %s\n", trackText(&t))
		}
		fmt.Fprintf(&b, "  %s\n", pathInQueues(r))
	}
	fmt.Fprintf(&b, "\n%s\n", adviceHead(r))
	for i, a := range r.Advice {
		if i == mostAdvice {
			fmt.Fprintf(&b, "  and %d more: see --html or --json\n", len(r.Advice)-i)
			break
		}
		fmt.Fprintf(&b, "  %d. saves %s: %s\n     %s\n", i+1, saves(&a), a.Do, a.What)
		if a.If != "" {
			fmt.Fprintf(&b, "     if %s\n", a.If)
		}
	}
	return printable(b.String())
}

// saves says how much a change saves.
func saves(a *analysis.Advice) string {
	text := fmt.Sprintf("%.0f %% (%s)", 100*a.Share, figure.Short(a.Saves))
	if a.Most {
		return "up to " + text
	}
	return text
}

// printable replaces what a terminal would obey: names come from the file.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}
