package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	imagecolor "image/color"
	"image/png"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/fagus/trace/analysis"
)

// causeColor returns the colour of a cause, which is visible on light and dark pages.
func causeColor(c analysis.Cause) figure.Color {
	switch c {
	case analysis.Starting:
		return 0xb5a896
	case analysis.Computing:
		return figure.Green
	case analysis.Writing:
		return figure.Yellow
	case analysis.Late:
		return figure.Blue
	case analysis.Held:
		return figure.Purple
	case analysis.Moving:
		return figure.Red
	case analysis.Agreeing:
		return 0x6fb7d6
	}
	return 0x9aa4ae
}

func color(c analysis.Cause) template.CSS { return template.CSS(causeColor(c).String()) }

// pageTimeline is a picture with a row for each rank, or for several ranks.
type pageTimeline struct {
	Data   template.URL
	Labels []string
	Row    int // the height of a row, in pixels of the page
	Ticks  []pageTick
	Each   int // ranks in a row
}

// pageTick is a time on the axis. At is where, from the left.
type pageTick struct {
	Text string
	At   template.CSS
}

// pixels is the height of a row in the picture.
const pixels = 12

// newTimeline draws rows as the timeline has them: in each column, the shares of a row stand above
// each other. Where they are less than the whole, what is left is grey.
func newTimeline(r *analysis.Result, rows []analysis.Row) (pageTimeline, error) {
	t := frame(r, rows)
	m := canvas(rows)
	for i, row := range rows {
		for x, shares := range row.Shares {
			y, sum := 0, 0.0
			for c, s := range shares {
				sum += float64(s)
				for to := int(math.Round(sum * (pixels - 1))); y < min(to, pixels-1); y++ {
					m.SetColorIndex(x, i*pixels+y, uint8(1+c))
				}
			}
			for ; y < pixels-1; y++ {
				m.SetColorIndex(x, i*pixels+y, uint8(1+analysis.Causes))
			}
		}
	}
	var err error
	t.Data, err = data(m)
	return t, err
}

// pathRows returns the rows of the timeline in which the critical path is, if there are many.
func pathRows(r *analysis.Result) []analysis.Row {
	const few = 16
	if len(r.Timeline.Path) <= few {
		return r.Timeline.Path
	}
	return slices.DeleteFunc(slices.Clone(r.Timeline.Path), func(row analysis.Row) bool {
		return !slices.ContainsFunc(row.Shares, func(s [analysis.Causes]float32) bool { return s != [analysis.Causes]float32{} })
	})
}

// canvas returns an empty picture of rows of a timeline.
func canvas(rows []analysis.Row) *image.Paletted {
	palette := imagecolor.Palette{imagecolor.RGBA{}}
	for c := range analysis.Causes {
		palette = append(palette, causeColor(c))
	}
	palette = append(palette, imagecolor.NRGBA{R: 0x80, G: 0x88, B: 0x90, A: 0x28}) // nothing
	columns := 1
	for _, row := range rows {
		columns = len(row.Shares)
	}
	return image.NewPaletted(image.Rect(0, 0, columns, max(1, pixels*len(rows))), palette)
}

// frame returns the labels and the axis of rows of the timeline.
func frame(r *analysis.Result, rows []analysis.Row) pageTimeline {
	t := pageTimeline{Row: 28}
	switch {
	case len(rows) > 32:
		t.Row = 13
	case len(rows) > 8:
		t.Row = 18
	}
	for i, row := range rows {
		label := fmt.Sprint(row.From)
		if row.To > row.From {
			label = fmt.Sprintf("%d–%d", row.From, row.To)
		}
		if i == 0 {
			t.Each = row.To - row.From + 1
		}
		t.Labels = append(t.Labels, label)
	}
	span := r.Timeline.Column
	if len(rows) > 0 {
		span *= analysis.Time(len(rows[0].Shares))
	}
	const ticks = 4
	for i := range ticks + 1 {
		t.Ticks = append(t.Ticks, pageTick{timeText(r.Timeline.Begin + span*analysis.Time(i)/ticks), template.CSS(fmt.Sprintf("%d%%", 100*i/ticks))})
	}
	return t
}

func data(m image.Image) (template.URL, error) {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	err := e.Encode(&b, m)
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())), err
}

// pageMatrix has the bytes from rank to rank: as numbers, or as a picture if there are many ranks.
type pageMatrix struct {
	Total   string
	Unknown string // bytes of which the trace does not say who wrote them
	Ranks   []int
	Rows    []pageMatrixRow
	Data    template.URL
	Each    int      // ranks in a row of the picture
	Last    int      // the last rank
	Most    []string // the pairs with most bytes
}

type pageMatrixRow struct {
	Rank  int
	Cells []pageCell
}

type pageCell struct {
	Text  string
	Shade template.CSS // how strong the background is, 0 to 1
}

func newMatrix(r *analysis.Result) (pageMatrix, error) {
	m := pageMatrix{Last: r.Nodes - 1}
	total, unknown, most := uint64(0), uint64(0), uint64(0)
	cells := make(map[[2]int]uint64)
	for _, c := range r.Matrix {
		if total += c.Bytes; c.From < 0 {
			unknown += c.Bytes
			continue
		}
		cells[[2]int{c.From, c.To}] = c.Bytes
		most = max(most, c.Bytes)
	}
	m.Total = bytesText(total)
	if unknown > 0 {
		m.Unknown = bytesText(unknown)
	}
	if most == 0 {
		return m, nil
	}
	top := slices.DeleteFunc(slices.Clone(r.Matrix), func(c analysis.Cell) bool { return c.From < 0 })
	slices.SortStableFunc(top, func(a, b analysis.Cell) int {
		switch {
		case a.Bytes > b.Bytes:
			return -1
		case a.Bytes < b.Bytes:
			return 1
		}
		return 0
	})
	for _, c := range top[:min(3, len(top))] {
		m.Most = append(m.Most, fmt.Sprintf("%s from rank %d to rank %d", bytesText(c.Bytes), c.From, c.To))
	}
	if r.Nodes > mostNumbers {
		return m, m.draw(r, cells)
	}
	for from := range r.Nodes {
		m.Ranks = append(m.Ranks, from)
		row := pageMatrixRow{Rank: from}
		for to := range r.Nodes {
			cell := pageCell{Shade: "0"}
			if bytes := cells[[2]int{from, to}]; bytes > 0 {
				cell = pageCell{bytesText(bytes), template.CSS(fmt.Sprintf("%.2f", 0.1+0.5*float64(bytes)/float64(most)))}
			}
			row.Cells = append(row.Cells, cell)
		}
		m.Rows = append(m.Rows, row)
	}
	return m, nil
}

// draw draws the matrix: the more bytes, the stronger the colour.
func (m *pageMatrix) draw(r *analysis.Result, cells map[[2]int]uint64) error {
	const side = 128
	m.Each = max(1, (r.Nodes+side-1)/side)
	n := (r.Nodes + m.Each - 1) / m.Each
	sums, most := make([]uint64, n*n), uint64(0)
	for at, bytes := range cells {
		i := at[0]/m.Each*n + at[1]/m.Each
		sums[i] += bytes
		most = max(most, sums[i])
	}
	picture := image.NewNRGBA(image.Rect(0, 0, n, n))
	for i, bytes := range sums {
		if bytes > 0 {
			strength := 55 + 200*math.Sqrt(float64(bytes)/float64(most))
			picture.SetNRGBA(i%n, i/n, imagecolor.NRGBA{R: 0xd0, G: 0x5a, B: 0x3c, A: uint8(strength)})
		}
	}
	var err error
	m.Data, err = data(picture)
	return err
}
