package main

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/apps/matrix"
)

// checkFigureName reports a file name whose ending is no format of a figure.
func checkFigureName(path string) error {
	switch figureFormat(path) {
	case "svg", "png", "pdf":
		return nil
	}
	return fmt.Errorf("%s: want a name that ends in .svg, .png or .pdf", path)
}

func figureFormat(path string) string {
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
}

// saveFigure writes what paint draws on a white canvas of so many points.
func saveFigure(path string, width, height float64, paint func(draw.Canvas)) error {
	f := figure{width: width, height: height, paint: paint}
	return matrix.Replace(path, func(w io.Writer) error { return f.write(w, figureFormat(path)) })
}

// figure is a picture of so many points, painted on white.
type figure struct {
	width, height float64
	paint         func(draw.Canvas)
}

// write paints the figure in a format of checkFigureName.
func (f *figure) write(w io.Writer, format string) error {
	canvas, err := draw.NewFormattedCanvas(vg.Points(f.width), vg.Points(f.height), format)
	if err != nil {
		return err
	}
	all := draw.New(canvas)
	fill(all, color.White, all.Min, all.Max)
	f.paint(all)
	_, err = canvas.WriteTo(w)
	return err
}

// fill paints the rectangle between two corners.
func fill(c draw.Canvas, with color.Color, lo, hi vg.Point) {
	c.FillPolygon(with, []vg.Point{lo, {X: hi.X, Y: lo.Y}, hi, {X: lo.X, Y: hi.Y}})
}

// headroom keeps bars and points off the frame.
const headroom = 1.08

// evenTicks are some multiples of 1, 2 or 5 times a power of ten, all with as many
// decimals.
func evenTicks(low, high float64) (list []plot.Tick) {
	const most = 6
	if high <= low {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 3, 64)}}
	}
	power := math.Floor(math.Log10((high - low) / most))
	step := math.Pow(10, power)
	for _, factor := range []float64{2, 2.5, 2} { // 2, 5, 10
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
