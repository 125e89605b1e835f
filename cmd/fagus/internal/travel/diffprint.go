package travel

import (
	"fmt"
	"strings"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// text returns the difference in words.
func (d *difference) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n%v\n", d.A, d.B)
	fmt.Fprintf(&b, "compared by %s, at %s in which all ranks meet: %s\n", d.By, base.Count(d.Points, "call"), base.Short(strings.Join(d.Arrays, ", "), 80))
	if len(d.Unlike) > 0 {
		fmt.Fprintf(&b, "not compared: %s\n", strings.Join(d.Unlike, "; "))
	}
	if d.Unknown > 0 {
		fmt.Fprintf(&b, "unknown at the last of them: %s that the runs have not written in the same pieces; with --record-values all can be compared\n", base.Count(d.Unknown, "element"))
	}
	switch {
	case d.First != nil:
		d.First.print(&b, d)
	case d.whole():
		b.WriteString("no difference\n")
	case d.Unknown > 0:
		fmt.Fprintf(&b, "no difference in what is known up to %s\n", d.Last)
	case d.Points > 0:
		fmt.Fprintf(&b, "no difference until %s, the last call that both records have\n", d.Last)
	default:
		b.WriteString("the records have no such call in common: nothing was compared\n")
	}
	printNotes(&b, d.Notes)
	return b.String()
}

func (s side) String() string {
	return fmt.Sprintf("%s: %s in %s mode on %s, %s, %s in which all ranks meet", s.Directory, base.Printable(s.Program), base.Printable(s.Mode), base.Printable(s.Net), base.Count(s.Nodes, "rank"), base.Count(s.Meetings, "call"))
}

func (f *first) print(b *strings.Builder, d *difference) {
	name := base.Printable(f.Array)
	where := "the end"
	if f.Line != "" {
		where = fmt.Sprintf("%s %d at %s", f.Call, f.Count, base.Printable(f.Line))
	} else if f.Call != rollcall.End.String() {
		where = fmt.Sprintf("%s %d", f.Call, f.Count)
	}
	if f.Elements > 0 {
		fmt.Fprintf(b, "first difference: %s[%d] at %s, one of %s of %s", name, f.Element, where, base.Count(f.Elements, "element"), name)
	} else {
		fmt.Fprintf(b, "first known difference: an element of %s[%d:%d] at %s", name, f.Element, f.Last+1, where)
	}
	if len(f.Other) > 0 {
		fmt.Fprintf(b, "; so do elements of %s", base.Short(strings.Join(f.Other, ", "), 60))
	}
	b.WriteByte('\n')
	for i, s := range []whichSide{f.A, f.B} {
		dir := []string{d.A.Directory, d.B.Directory}[i]
		value := ""
		if s.Value != "" {
			value = s.Value + ", "
		}
		if s.By == nil {
			fmt.Fprintf(b, "    %s: %snobody has written it\n", dir, value)
		} else {
			fmt.Fprintf(b, "    %s: %s%s\n", dir, value, s.By.text())
		}
	}
	fmt.Fprintf(b, "ask on:\n    fagus why %s '%s[%d]' --at phase:%d\n    fagus why %s '%s[%d]' --at phase:%d\n",
		d.A.Directory, name, f.Element, f.A.Step, d.B.Directory, name, f.Element, f.B.Step)
}
