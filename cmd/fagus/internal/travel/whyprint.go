package travel

import (
	"fmt"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet"
)

// text returns the story in words.
func (s *story) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, one of %s", s.Element, base.Printable(s.Kind))
	if s.Variable != "" {
		fmt.Fprintf(&b, ", guarded by %s", s.Variable)
	}
	b.WriteByte('\n')
	if len(s.Writes) == 0 {
		fmt.Fprintf(&b, "nobody has changed it until %s: it is 0\n", s.At)
	}
	if s.Left != nil {
		b.WriteString("the last tenure of the variable has left it as it was:\n")
		s.Left.print(&b, true)
		if len(s.Writes) > 0 {
			b.WriteString("\nbefore, newest first:\n")
		}
	}
	for i, one := range s.Writes {
		if i == 1 && s.Left == nil {
			b.WriteString("\nbefore, newest first:\n")
		}
		one.print(&b, i == 0)
	}
	if s.Earlier > 0 {
		fmt.Fprintf(&b, "and %d earlier writes (--last)\n", s.Earlier)
	}
	printNotes(&b, s.Notes)
	return b.String()
}

func (w *write) print(b *strings.Builder, newest bool) {
	value := ""
	if w.Value != "" {
		value = " = " + w.Value
	}
	fmt.Fprintf(b, "%s%s\n", w.author.text(), value)
	if !newest || len(w.Saw) == 0 {
		return
	}
	b.WriteString("    since its write before, this rank had seen\n")
	for _, s := range w.Saw {
		fmt.Fprintf(b, "    %s, version %d, by %s: ", s.Variable, s.Version, s.Line)
		if s.By == nil {
			b.WriteString("nobody had written it")
		} else {
			fmt.Fprintf(b, "written by %s", s.By.short())
		}
		if s.Unordered {
			b.WriteString("; no call in which all ranks meet lies between")
		}
		b.WriteByte('\n')
		if s.Missed != nil {
			fmt.Fprintf(b, "        but not version %d, written by %s: no call in which all ranks meet lies between\n", s.Missed.Version, s.Missed.short())
		}
	}
	if w.More > 0 {
		fmt.Fprintf(b, "    and versions of %d more variables (--json)\n", w.More)
	}
}

// text returns a line such as "rank 2, step 119, 1.5 ms: version 60 of rows.17, heat/main.go:41".
func (a *author) text() string {
	return fmt.Sprintf("rank %d, step %d, %v: version %d of %s, %s", a.Rank, a.Step, timeOf(a.Time), a.Version, a.Variable, a.lines())
}

func (a *author) short() string {
	return fmt.Sprintf("rank %d, step %d, %s", a.Rank, a.Step, a.lines())
}

// lines returns the lines between which the rank has written.
func (a *author) lines() string {
	line := a.Released
	if a.Acquired != a.Released {
		line = a.Acquired + " to " + a.Released
	}
	if a.Resume {
		return "by Resume at " + line
	}
	return line
}

func timeOf(ns float64) dimmnet.Time { return dimmnet.Time(ns * float64(dimmnet.Nanosecond)) }

func printNotes(b *strings.Builder, notes []string) {
	const most = 5
	for _, note := range notes[:min(most, len(notes))] {
		fmt.Fprintf(b, "note: %s\n", note)
	}
	if more := len(notes) - most; more > 0 {
		fmt.Fprintf(b, "note: and so of %d more ranks\n", more)
	}
}
