package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"path/filepath"
	"slices"

	"github.com/fagus-dsm/fagus/apps/matrix"
	"github.com/fagus-dsm/fagus/fagus"
)

//go:embed compare.html.tmpl
var pageText string

// page is what compare.html.tmpl shows. It loads nothing: the figures are in it.
type page struct {
	*comparison
	Where     string
	Note      string
	Columns   []string
	Tables    []pageTable
	Figures   []pageFigure
	Parts     []pagePart // by number
	Legend    []pagePart // those that take any time
	Timelines []pageTimeline
	LargestN  int
}

type pageTable struct {
	N    int
	Rows []pageRow
}

type pageRow struct {
	Version string
	Cells   []sample
}

type pageFigure struct {
	About string
	Data  template.URL // the picture itself
}

// The script reads what follows.
type pagePart struct {
	Name  string `json:"name"`
	Color string `json:"color"`
}

type pageTimeline struct {
	Version string       `json:"version"`
	Ranks   [][]pageSpan `json:"ranks"`
	// Own is whether it has a scale of its own: on one with it the others would be
	// slivers.
	Own bool `json:"own,omitempty"`
}

// pageSpan is a part, by number, and its begin and end in milliseconds.
type pageSpan [3]float64

// writeComparison writes everything to the files of a folder.
func writeComparison(dir string, c *comparison, timelines []timeline) error {
	p := newPage(c, timelines)
	for _, f := range []struct {
		name, about string
		draw        func(*comparison) (*figure, error)
	}{
		{"total", "Total time of every version over the size", totalFigure},
		{"parts", "What every version spends its time on, a panel a size, each with a scale of its own", partsFigure},
	} {
		drawn, err := f.draw(c)
		if err != nil {
			return err
		}
		for _, format := range []string{"png", "svg"} {
			var b bytes.Buffer
			if err := drawn.write(&b, format); err != nil {
				return err
			}
			if err := replaceIn(dir, f.name+"."+format, func(w io.Writer) error { _, err := w.Write(b.Bytes()); return err }); err != nil {
				return err
			}
			if format == "svg" {
				data := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
				p.Figures = append(p.Figures, pageFigure{f.about, template.URL(data)})
			}
		}
	}
	if err := replaceIn(dir, "compare.json", func(w io.Writer) error { return printJSON(w, c) }); err != nil {
		return err
	}
	return replaceIn(dir, "index.html", p.write)
}

func replaceIn(dir, name string, write func(io.Writer) error) error {
	path := filepath.Join(dir, name)
	if err := matrix.Replace(path, write); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

func newPage(c *comparison, timelines []timeline) *page {
	p := &page{comparison: c, Where: c.where(), Note: timeNote, Columns: shown(), LargestN: c.Sizes[len(c.Sizes)-1]}
	for _, n := range c.Sizes {
		t := pageTable{N: n}
		for _, r := range c.ofSize(n) {
			row := pageRow{Version: r.Version}
			for _, name := range p.Columns {
				row.Cells = append(row.Cells, r.TimeNs[name])
			}
			t.Rows = append(t.Rows, row)
		}
		p.Tables = append(p.Tables, t)
	}
	for part := range fagus.Parts {
		p.Parts = append(p.Parts, pagePart{part.String(), cssColor(partColor(part))})
		if c.spends(part) {
			p.Legend = append(p.Legend, p.Parts[part])
		}
	}
	longest := longestByFar(c.ofSize(p.LargestN))
	for _, v := range c.Versions { // the runs began in another order
		for _, t := range timelines {
			if t.version == v.Name {
				drawn := newPageTimeline(t, c.Nodes)
				drawn.Own = longest != nil && longest.Version == v.Name
				p.Timelines = append(p.Timelines, drawn)
			}
		}
	}
	return p
}

func newPageTimeline(t timeline, nodes int) pageTimeline {
	ranks := make([][]pageSpan, nodes)
	for rank := range ranks {
		ranks[rank] = []pageSpan{} // a list for the script, though empty
	}
	for part, spans := range spansByPart(nodes, t.trace) {
		for _, s := range spans {
			ranks[s.rank] = append(ranks[s.rank], pageSpan{float64(part), s.from, s.to})
		}
	}
	for _, spans := range ranks {
		slices.SortFunc(spans, func(a, b pageSpan) int { return cmp.Compare(a[1], b[1]) })
	}
	return pageTimeline{Version: t.version, Ranks: ranks}
}

func cssColor(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func (p *page) write(w io.Writer) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}
