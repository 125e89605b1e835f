package colony

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "draw docs/lab/colony/*.svg anew")

// TestDrawings checks that the drawings in docs/lab/colony match the tables. To redraw them:
//
//	go test ./dimmnet/sim/colony -run TestDrawings -update
func TestDrawings(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "docs", "lab", "colony")
	if *update {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for m, table := range tables(Burst) {
		name := strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(module(m).String())) + ".svg"
		want := draw(module(m), table)
		path := filepath.Join(folder, name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s does not match the table (%v): redraw it with go test ./dimmnet/sim/colony -run TestDrawings -update", path, err)
		}
	}
}

// Sizes of a drawing in pixels.
const (
	boxWide, boxHigh   = 124, 40
	laneHigh, stepWide = 84, 370
	margin, headHigh   = 24, 80
)

// spot is a box, or a point at which an arrow crosses a column.
type spot struct {
	state       state
	point       bool
	shared      bool // several arrows end here
	column      int
	lane, order float64
}

func (s *spot) x() float64 { return margin + float64(s.column)*stepWide }
func (s *spot) y() float64 { return margin + headHigh + s.lane*laneHigh + boxHigh/2 }

// arrow represents all rows from one state to another.
type arrow struct {
	from, to *spot
	via      []*spot // from, the points crossed, to
	label    []string
	back     bool
	alone    bool // no other arrow leaves from
}

// drawing is the drawing of one state machine.
type drawing struct {
	spots   []*spot
	arrows  []*arrow
	columns [][]*spot
}

// draw returns the state machine as SVG. Columns follow the order of the work; arrows that lead
// back pass below.
func draw(m module, t table) []byte {
	d := layout(t)
	lanes := 0.0
	for _, s := range d.spots {
		lanes = max(lanes, s.lane)
	}
	backs := 0
	for _, a := range d.arrows {
		if a.back {
			backs++
		}
	}
	wide := 2*margin + (len(d.columns)-1)*stepWide + boxWide
	floor := margin + headHigh + lanes*laneHigh + boxHigh
	high := int(floor) + 44*backs + margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		wide, high, wide, high)
	b.WriteString(`<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">` +
		`<path d="M0 0L8 4L0 8z" fill="#456"/></marker></defs>` + "\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", wide, high)
	fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="16" font-weight="bold">%s</text>`+"\n", margin, margin+8, m)
	fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#567">on an arrow: input, action, signal given; dashed: waits for its input, and then so many clocks</text>`+"\n",
		margin, margin+26)
	back := 0
	for _, a := range d.arrows {
		if a.back {
			back++
			a.drawBack(&b, floor+float64(44*back)-14)
		} else {
			a.draw(&b)
		}
	}
	for _, s := range d.spots {
		if !s.point {
			s.draw(&b, m, t)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func (s *spot) draw(b *bytes.Buffer, m module, t table) {
	dash, clocks := "", ""
	for _, r := range t.stay {
		if r.state != s.state {
			continue
		}
		clocks = fmt.Sprintf("%d clk", r.clocks)
		if r.waits {
			dash = ` stroke-dasharray="5 3"`
		}
		if m == fcOut && s.state == sending {
			clocks = fmt.Sprintf("%d, %d, %d clk", Burst.clocks(), Split.clocks(), Twice.clocks())
		}
	}
	x, y := s.x(), s.y()
	fmt.Fprintf(b, `<rect x="%g" y="%g" width="%d" height="%d" rx="6" fill="#eef4fb" stroke="#234"%s/>`+"\n", x, y-boxHigh/2, boxWide, boxHigh, dash)
	fmt.Fprintf(b, `<text x="%g" y="%g" text-anchor="middle" font-weight="bold">%s</text>`+"\n", x+boxWide/2, y-3, s.state)
	fmt.Fprintf(b, `<text x="%g" y="%g" text-anchor="middle" fill="#567">%s</text>`+"\n", x+boxWide/2, y+13, clocks)
}

// draw draws an arrow from column to column.
func (a *arrow) draw(b *bytes.Buffer) {
	var path strings.Builder
	for i, s := range a.via[1:] {
		p := a.via[i]
		x, y, to := p.x()+boxWide, p.y(), s.x()
		if i == 0 {
			fmt.Fprintf(&path, "M%g %g", x, y)
		} else if p.point {
			fmt.Fprintf(&path, "L%g %g", x, y)
		}
		middle := (x + to) / 2
		fmt.Fprintf(&path, "C%g %g %g %g %g %g", middle, y, middle, s.y(), to, s.y())
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="#456" marker-end="url(#tip)"/>`+"\n", path.String())
	next := a.via[1]
	switch {
	case a.alone:
		lines(b, a.from.x()+boxWide+6, a.from.y(), "start", a.label)
	case next.shared:
		lines(b, (a.from.x()+boxWide+next.x())/2, (a.from.y()+next.y())/2, "middle", a.label)
	default:
		lines(b, next.x()-10, next.y(), "end", a.label)
	}
}

// drawBack draws an arrow below all boxes.
func (a *arrow) drawBack(b *bytes.Buffer, y float64) {
	from, to := a.from.x()+boxWide/2+18, a.to.x()+boxWide/2-18
	fmt.Fprintf(b, `<path d="M%g %gL%g %gQ%g %g %g %gL%g %gQ%g %g %g %gL%g %g" fill="none" stroke="#456" marker-end="url(#tip)"/>`+"\n",
		from, a.from.y()+boxHigh/2, from, y-8, from, y, from-8, y, to+8, y, to, y, to, y-8, to, a.to.y()+boxHigh/2)
	lines(b, (from+to)/2, y-2, "middle", []string{strings.Join(a.label, "; ")})
}

// lines writes a label that ends above y.
func lines(b *bytes.Buffer, x, y float64, anchor string, label []string) {
	y -= float64(len(label)-1)*13 + 4
	for i, line := range label {
		if line == "" {
			continue
		}
		fmt.Fprintf(b, `<text x="%g" y="%g" text-anchor="%s" font-size="11" fill="#234" stroke="#fff" stroke-width="4" paint-order="stroke">%s</text>`+"\n",
			x, y+float64(i)*13, anchor, html.EscapeString(line))
	}
}

// layout assigns columns and lanes to the states.
func layout(t table) *drawing {
	d := &drawing{}
	at := map[state]*spot{}
	for _, r := range t.stay {
		s := &spot{state: r.state}
		at[r.state] = s
		d.spots = append(d.spots, s)
	}
	for _, r := range t.rows {
		d.row(at[r.from], at[r.to], r)
	}
	for range t.stay { // the column is the longest path from idle
		for _, a := range d.arrows {
			if !a.back {
				a.to.column = max(a.to.column, a.from.column+1)
			}
		}
	}
	for _, a := range d.arrows {
		a.alone = !slices.ContainsFunc(d.arrows, func(b *arrow) bool { return b != a && b.from == a.from })
		a.to.shared = slices.ContainsFunc(d.arrows, func(b *arrow) bool { return b != a && b.to == a.to })
		a.via = []*spot{a.from}
		for c := a.from.column + 1; !a.back && c < a.to.column; c++ {
			p := &spot{point: true, column: c}
			d.spots, a.via = append(d.spots, p), append(a.via, p)
		}
		a.via = append(a.via, a.to)
	}
	for _, s := range d.spots {
		for len(d.columns) <= s.column {
			d.columns = append(d.columns, nil)
		}
		s.lane = float64(len(d.columns[s.column]))
		d.columns[s.column] = append(d.columns[s.column], s)
	}
	for pass := range 12 {
		d.sort(pass%2 == 0)
	}
	return d
}

// row adds a row to the arrow between its states. Rows are in the order of the work, so an arrow
// leads back if its target already has an arrow.
func (d *drawing) row(from, to *spot, r row) {
	i := slices.IndexFunc(d.arrows, func(a *arrow) bool { return a.from == from && a.to == to })
	if i < 0 {
		i = len(d.arrows)
		back := to.state == idle || slices.ContainsFunc(d.arrows, func(a *arrow) bool { return a.from == to && a.to == from })
		d.arrows = append(d.arrows, &arrow{from: from, to: to, back: back})
	}
	a := d.arrows[i]
	var label []string
	signal := ""
	if r.emit.in != always {
		signal = fmt.Sprintf("→ %s: %s", abbreviation(r.emit.to), r.emit.in)
	}
	for _, part := range []string{r.on.String(), r.do.String(), signal} {
		if part != "" {
			label = append(label, part)
		}
	}
	if len(a.label) > 0 || a.back {
		label = []string{strings.Join(label, ", ")} // a line for each row
		if len(a.label) > 0 && !a.back && !strings.Contains(a.label[0], ",") && len(a.label) > 1 {
			a.label = []string{strings.Join(a.label, ", ")}
		}
	}
	a.label = append(a.label, label...)
}

// abbreviation returns the name of a module in a label.
func abbreviation(m module) string {
	return [modules]string{"MBus", "MDC", "FDC", "send data", "receive data", "SDC", "SSRAM", "FC", "FC"}[m]
}

// sort orders each column by the mean lane of the arrows' other ends, and renumbers its lanes.
func (d *drawing) sort(forward bool) {
	for i := range d.columns {
		column := d.columns[i]
		if !forward {
			column = d.columns[len(d.columns)-1-i]
		}
		for _, s := range column {
			total, n := 0.0, 0.0
			for _, a := range d.arrows {
				for k := range len(a.via) - 1 {
					if forward && a.via[k+1] == s && !a.back {
						total, n = total+a.via[k].lane, n+1
					}
					if !forward && a.via[k] == s && !a.back {
						total, n = total+a.via[k+1].lane, n+1
					}
				}
			}
			s.order = s.lane
			if n > 0 {
				s.order = total / n
			}
		}
		slices.SortStableFunc(column, func(a, b *spot) int { return cmp.Compare(a.order, b.order) })
		for k, s := range column {
			s.lane = float64(k)
		}
	}
}
