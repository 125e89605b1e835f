package figure

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/fagus/program/outfile"
)

// CheckName returns an error unless the path ends in .svg, .png or .pdf.
func CheckName(path string) error {
	switch format(path) {
	case "svg", "png", "pdf":
		return nil
	}
	return fmt.Errorf("%s: want a name that ends in .svg, .png or .pdf", path)
}

func format(path string) string { return strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".") }

// Save draws a figure of width x height points to a file.
func Save(path string, width, height float64, paint func(draw.Canvas)) error {
	f := Figure{Width: width, Height: height, Paint: paint}
	return outfile.Replace(path, func(w io.Writer) error { return f.Write(w, format(path)) })
}

// Figure is a picture on a white background.
type Figure struct {
	Width, Height float64 // in points
	Paint         func(draw.Canvas)
}

// Write writes the figure in the given format: "svg", "png" or "pdf".
func (f *Figure) Write(w io.Writer, format string) error {
	canvas, err := draw.NewFormattedCanvas(vg.Points(f.Width), vg.Points(f.Height), format)
	if err != nil {
		return err
	}
	all := draw.New(canvas)
	Fill(all, color.White, all.Min, all.Max)
	f.Paint(all)
	if format != "svg" {
		_, err = canvas.WriteTo(w)
		return err
	}
	var b bytes.Buffer
	if _, err = canvas.WriteTo(&b); err == nil {
		_, err = w.Write(portable(b.Bytes()))
	}
	return err
}

// Fill paints the rectangle between two corners.
func Fill(c draw.Canvas, with color.Color, lo, hi vg.Point) {
	c.FillPolygon(with, []vg.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}})
}

// Red is for a curve that is compared with a Blue one.
func Red() color.Color { return color.RGBA{R: 0xd0, G: 0x5a, B: 0x3c, A: 0xff} }

// Blue is for NICs and links, and for waiting.
func Blue() color.Color { return color.RGBA{R: 0x2f, G: 0x6d, B: 0xb5, A: 0xff} }

// Green is for hosts, and for computing.
func Green() color.Color { return color.RGBA{R: 0x4c, G: 0x9f, B: 0x70, A: 0xff} }

// Purple is a fourth colour.
func Purple() color.Color { return color.RGBA{R: 0x8a, G: 0x5f, B: 0xa8, A: 0xff} }

// Yellow is a fifth colour.
func Yellow() color.Color { return color.RGBA{R: 0xe0, G: 0xb0, B: 0x30, A: 0xff} }

// Ticks returns ticks at 0 and at the multiples of step up to high.
func Ticks(step int, high float64) (list []plot.Tick) {
	for x := 0; float64(x) <= high; x += step {
		list = append(list, plot.Tick{Value: float64(x), Label: strconv.Itoa(x)})
	}
	return list
}

// EvenTicks returns at most seven ticks from low to high, at multiples of 1, 2 or 5 x 10^n.
func EvenTicks(low, high float64) (list []plot.Tick) {
	const most = 6
	if high <= low {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 3, 64)}}
	}
	power := math.Floor(math.Log10((high - low) / most))
	step := math.Pow(10, power)
	for _, factor := range []float64{2, 2.5, 2} { // steps of 2, 5 and 10 times the first
		if step*most >= high-low {
			break
		}
		step *= factor
	}
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	for i := math.Ceil(low / step); i*step <= high; i++ {
		list = append(list, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'f', decimals, 64)})
	}
	return list
}

// svgText matches the begin of a text of an SVG file of gonum, its font, its size, and the text.
var svgText = regexp.MustCompile(`(<text [^>]*)font-family:Liberation Sans;([^>]*)font-size:([0-9.]+)px">([^<]*)</text>`)

// portable makes an SVG file look the same on systems without its font: it adds fonts of the same
// widths, which other systems have, and states the length of each text for those that have none of
// them.
func portable(svg []byte) []byte {
	return svgText.ReplaceAllFunc(svg, func(element []byte) []byte {
		m := svgText.FindSubmatch(element)
		size, err := strconv.ParseFloat(string(m[3]), 64)
		if err != nil || len(m[4]) == 0 {
			return element
		}
		f := Font(size)
		face := font.DefaultCache.Lookup(f, f.Size)
		width := face.Width(html.UnescapeString(string(m[4])))
		return fmt.Appendf(nil, `%sfont-family:'Liberation Sans',Arial,Helvetica,sans-serif;%sfont-size:%spx" textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`,
			m[1], m[2], m[3], float64(width), m[4])
	})
}
