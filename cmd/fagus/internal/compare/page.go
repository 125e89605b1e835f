package compare

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
)

//go:embed compare.html.tmpl
var pageText string

// page is the data of compare.html.tmpl. The page contains its figures and loads no other file.
type page struct {
	*comparison
	Total     pageFigure
	Panels    []pageFigure
	Keys      []pagePart // the colours of the versions
	Parts     []pagePart // by fagus.Part
	Legend    []pagePart // the parts that take time
	Timelines []pageTimeline
	Largest   string // the largest size
}

type pageFigure struct {
	About string
	Data  template.URL // the picture, in base64
	// Width is how wide the picture is at the most, and Least how narrow it may be before the next
	// stands below it, in pixels of the page.
	Width, Least int
}

// pagePart is a part of a run, as the script of the page reads it.
type pagePart struct {
	Name  string `json:"name"`
	Color string `json:"color"`
}

// pageTimeline is the timeline of one version, as the script reads it.
type pageTimeline struct {
	Version string       `json:"version"`
	Ranks   [][]pageSpan `json:"ranks"`
	// Own gives this timeline its own scale: on a common scale the others would be too narrow.
	Own bool `json:"own,omitempty"`
}

// pageSpan is an interval of time: the number of the part, the begin and the end in milliseconds.
type pageSpan [3]float64

// writeComparison writes the page, the document and the figures to a folder.
func writeComparison(dir string, c *comparison, traces map[string][]fagus.Stats) error {
	p := newPage(c, traces)
	const total = "total.svg"
	if c.grows() {
		if err := replaceIn(dir, total, totalFigure(c).Write); err != nil {
			return err
		}
	} else if err := os.Remove(filepath.Join(dir, total)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // the file of an earlier comparison stays
	}
	if err := replaceIn(dir, "parts.svg", partsFigure(c).Write); err != nil {
		return err
	}
	if err := p.draw(c); err != nil {
		return err
	}
	if err := replaceIn(dir, "compare.json", func(w io.Writer) error { return base.PrintJSON(w, c) }); err != nil {
		return err
	}
	return replaceIn(dir, "index.html", p.write)
}

// draw draws the figures of the page. Each panel of the parts is a picture of its own, so that they
// stand side by side on a wide screen and below each other on a narrow one.
func (p *page) draw(c *comparison) error {
	var err error
	if c.grows() {
		if p.Total, err = inPage("Total time of every version over the size", c.totalChart().Figure(460, panelHeight)); err != nil {
			return err
		}
	}
	for i, v := range c.Versions {
		p.Keys = append(p.Keys, pagePart{v.Name, versionColor(i).String()})
	}
	for _, n := range c.Sizes {
		f, err := inPage(join(" with ", "How every version spends its time", c.Size(n)), c.partsChart(n).Figure(c.panelWidth(), panelHeight))
		if err != nil {
			return err
		}
		p.Panels = append(p.Panels, f)
	}
	return nil
}

// grows reports whether there are several sizes, over which the totals can be drawn.
func (c *comparison) grows() bool { return len(c.Sizes) > 1 }

func inPage(about string, f *figure.Figure) (pageFigure, error) {
	var b bytes.Buffer
	err := f.Write(&b)
	data := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
	const pixels, shrunk = 4.0 / 3, 0.75 // of a point, and a part of the width
	return pageFigure{about, template.URL(data), int(pixels * f.Width), int(shrunk * pixels * f.Width)}, err
}

func replaceIn(dir, name string, write func(io.Writer) error) error {
	path := filepath.Join(dir, name)
	if err := outfile.Replace(path, write); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

func newPage(c *comparison, traces map[string][]fagus.Stats) *page {
	largest := c.Sizes[len(c.Sizes)-1]
	p := &page{comparison: c, Largest: c.Size(largest)}
	for part := range fagus.Parts {
		p.Parts = append(p.Parts, pagePart{part.String(), figure.Color(part.Color()).String()})
		if c.spends(part) {
			p.Legend = append(p.Legend, p.Parts[part])
		}
	}
	longest := longestByFar(c.OfSize(largest), (*compared).totalNs)
	for _, v := range c.Versions {
		if spans, ok := traces[v.Name]; ok {
			p.Timelines = append(p.Timelines, pageTimeline{v.Name, pageRanks(spans, c.Nodes), longest != nil && longest.Version == v.Name})
		}
	}
	return p
}

// pageRanks returns what each rank did when.
func pageRanks(stats []fagus.Stats, nodes int) [][]pageSpan {
	ranks := make([][]pageSpan, nodes)
	for rank := range ranks {
		ranks[rank] = []pageSpan{} // an empty list for the script, not null
	}
	ms := func(t fagus.Time) float64 { return float64(t) / float64(fagus.Millisecond) }
	for i := range stats {
		rank := stats[i].Rank
		for _, s := range stats[i].Spans {
			ranks[rank] = append(ranks[rank], pageSpan{float64(s.Part), ms(s.From), ms(s.To)})
		}
	}
	return ranks
}

func (p *page) write(w io.Writer) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}
