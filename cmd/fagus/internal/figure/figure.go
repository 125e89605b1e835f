package figure

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/program/outfile"
)

// CheckName returns an error unless the path ends in .svg.
func CheckName(path string) error {
	if !strings.EqualFold(filepath.Ext(path), ".svg") {
		return fmt.Errorf("%s: want a name that ends in .svg", path)
	}
	return nil
}

// Figure is a picture. All lengths are in points, and Y counts from the top. Later elements cover
// earlier ones.
type Figure struct {
	Width, Height float64

	elements bytes.Buffer
}

// New returns a figure that is white.
func New(width, height float64) *Figure {
	f := &Figure{Width: width, Height: height}
	f.Rect(0, 0, width, height, white)
	return f
}

// Write writes the figure as SVG.
func (f *Figure) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.5g %.5g" width="%[1]gpt" height="%[2]gpt" font-family="system-ui, 'DejaVu Sans', Arial, sans-serif">`+
		"\n%s</svg>\n", f.Width, f.Height, &f.elements)
	return err
}

// Save writes the figure to a file.
func (f *Figure) Save(path string) error { return outfile.Replace(path, f.Write) }

// Rect fills a rectangle with the upper left corner (x, y).
func (f *Figure) Rect(x, y, width, height float64, fill Color) {
	f.add(`<rect x="%.5g" y="%.5g" width="%.5g" height="%.5g" fill="%v"/>`, x, y, width, height, fill)
}

// Anchor is the point of a text that is put at a position.
type Anchor string

// Anchors are at half the height of a text.
const (
	Left   Anchor = "start"
	Center Anchor = "middle"
	Right  Anchor = "end"
)

// Text writes one line with its anchor at (x, y).
func (f *Figure) Text(x, y, size float64, anchor Anchor, text string) {
	f.text(x, y, size, anchor, 0, text)
}

// text writes one line that is turned around its anchor by some degrees.
func (f *Figure) text(x, y, size float64, anchor Anchor, degrees int, text string) {
	const half = 0.35 // of the size of a font: from the baseline to the middle of its letters
	turn := ""
	if degrees != 0 {
		turn = fmt.Sprintf(` transform="rotate(%d %.5g %.5g)"`, degrees, x, y)
	}
	f.add(`<text x="%.5g" y="%.5g" font-size="%.5g" text-anchor="%s"%s>%s</text>`, x, y+half*size, size, anchor, turn, html.EscapeString(text))
}

// stroke draws a line through points.
func (f *Figure) stroke(c Color, width float64, points ...Point) {
	f.add(`<polyline points="%s" fill="none" stroke="%v" stroke-width="%.5g"/>`, coordinates(points), c, width)
}

// polygon fills the area between corners.
func (f *Figure) polygon(fill Color, corners ...Point) {
	f.add(`<polygon points="%s" fill="%v"/>`, coordinates(corners), fill)
}

// dot draws a marker.
func (f *Figure) dot(c Color, at Point) {
	f.add(`<circle cx="%.5g" cy="%.5g" r="3" fill="%v"/>`, at.X, at.Y, c)
}

func (f *Figure) add(element string, values ...any) {
	fmt.Fprintf(&f.elements, element+"\n", values...)
}

func coordinates(points []Point) string {
	var all []string
	for _, p := range points {
		all = append(all, fmt.Sprintf("%.5g,%.5g", p.X, p.Y))
	}
	return strings.Join(all, " ")
}
