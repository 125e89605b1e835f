package results

import (
	_ "embed" // for pageText
	"fmt"
	"io"
	"math"
	"strings"
	"text/template"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
)

//go:embed page.md.tmpl
var pageText string

// Page writes the document in Markdown: tables, which docs/lab/lessons.md explains.
func (d *Document) Page(w io.Writer) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, d)
}

func markdown(header table.Row, rows []table.Row) string {
	t := table.NewWriter()
	t.AppendHeader(header)
	t.AppendRows(rows)
	return t.RenderMarkdown()
}

// Verified returns the table of checks.
func (d *Document) Verified() string {
	var rows []table.Row
	for _, p := range d.Programs {
		for _, c := range p.Checked {
			verified := fmt.Sprintf("%d of %d", c.Verified, c.Runs)
			if c.Refused > 0 {
				verified += fmt.Sprintf(" (%d refused)", c.Refused)
			}
			rows = append(rows, table.Row{p.Name, c.Input, verified, string(c.Bits)})
		}
	}
	return markdown(table.Row{"program", "input", "verified", "the same bits"}, rows)
}

// Curves returns the table of speed-ups on simulated nodes.
func (d *Document) Curves() string {
	header := table.Row{"program", "input", "engine", "one node"}
	for _, n := range d.Nodes {
		if n > 1 {
			header = append(header, fmt.Sprint(n))
		}
	}
	var rows []table.Row
	for _, p := range d.Programs {
		for i, mode := range modes() {
			rows = append(rows, p.Curve.row(p.Name, mode, i))
		}
	}
	return markdown(header, rows)
}

// row returns the row of a curve in the i-th mode.
func (c *Curve) row(name, mode string, i int) table.Row {
	row := table.Row{name, c.Input, mode}
	var one int64
	for _, point := range c.Points {
		r := *point.runs()[i]
		switch {
		case !r.ok():
			row = append(row, symbol(r))
		case point.Nodes == 1:
			one = r.TimeNs
			row = append(row, base.Nanoseconds(one).String())
		default:
			row = append(row, ratio(one, r.TimeNs))
		}
	}
	return row
}

func symbol(r Run) string {
	switch r.Fault {
	case experiment.Refused:
		return "-"
	case experiment.Late:
		return r.Fault
	}
	return "**failed**"
}

// Traffic returns the table of messages and bytes.
func (d *Document) Traffic() string {
	header := table.Row{"program", "engine"}
	for _, n := range d.Nodes {
		if n > 1 {
			header = append(header, fmt.Sprintf("%d nodes", n))
		}
	}
	var rows []table.Row
	for _, p := range d.Programs {
		for i, mode := range modes() {
			row := table.Row{p.Name, mode}
			for _, point := range p.Curve.Points {
				r := *point.runs()[i]
				switch {
				case point.Nodes == 1:
				case !r.ok():
					row = append(row, symbol(r))
				default:
					row = append(row, fmt.Sprintf("%s / %sB", short(float64(r.Messages)), short(float64(r.Bytes))))
				}
			}
			rows = append(rows, row)
		}
	}
	return markdown(header, rows)
}

// Races returns the table of speed-ups on this machine.
func (d *Document) Races() string {
	var rows []table.Row
	for _, p := range d.Programs {
		if r := p.Race; r != nil {
			rows = append(rows, table.Row{p.Name, r.Input, base.Nanoseconds(r.Plain).String(), ratio(r.Plain, r.One), "**" + ratio(r.Plain, r.Two) + "**", ratio(2*r.Plain, r.Crowd),
				fmt.Sprintf("%.0f %%", 100*r.Waiting), ratio(r.Plain, r.Threaded), ratio(r.Plain, r.Inproc), ratio(r.Plain, r.TCP)})
		}
	}
	return markdown(table.Row{"program", "input", "plain", "1 rank", "2 ranks", "the machine's limit", "in calls", "threaded", "inproc", "tcp"}, rows)
}

// Rounds returns the number of rounds of the races.
func (d *Document) Rounds() int {
	for _, p := range d.Programs {
		if p.Race != nil {
			return p.Race.Rounds
		}
	}
	return 0
}

// Pairs returns the table of the rivals; "" if there are none.
func (d *Document) Pairs() string {
	if len(d.Rivals) == 0 {
		return ""
	}
	var rows []table.Row
	for _, v := range d.Rivals {
		slower := ""
		if v.A.ok() && v.B.ok() {
			slower = ratio(v.A.TimeNs, v.B.TimeNs)
		}
		for i, r := range []Run{v.A, v.B} {
			run := "`fagus run " + strings.TrimSpace(v.Program+" "+[]string{v.InputA, v.InputB}[i]) + "`"
			rows = append(rows, append(append(table.Row{[]string{v.What, ""}[i], run}, r.cost()...), []string{slower, ""}[i]))
		}
	}
	return markdown(table.Row{"what", "run", "time", "transfers", "packets", "data", "times as long"}, rows)
}

// cost returns the time of a run, and what it sends; a run that failed has a symbol for the time.
func (r Run) cost() table.Row {
	if !r.ok() {
		return table.Row{symbol(r), "", "", ""}
	}
	return table.Row{base.Nanoseconds(r.TimeNs).String(), short(float64(r.Transfers)), short(float64(r.Messages)), short(float64(r.Bytes)) + "B"}
}

// ratio formats a / b; "" if a or b is unknown, which means not positive.
func ratio(a, b int64) string {
	if a <= 0 || b <= 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

// short formats a number in three digits, with the SI prefix of the unit that follows.
func short(x float64) string {
	prefixes := []string{"", "k", "M", "G", "T"}
	i := 0
	for ; math.Round(x) >= 1000 && i < len(prefixes)-1; i++ {
		x /= 1000
	}
	digits := 0
	if i > 0 {
		digits = max(0, 2-int(math.Log10(x)))
	}
	text := fmt.Sprintf("%.*f", digits, x)
	if prefixes[i] != "" {
		text += " " + prefixes[i]
	}
	return text
}
