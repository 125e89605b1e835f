package main

import (
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"

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
