package mandelbrot

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
)

// EncodePNG writes a picture with width points a row as a PNG. Points that took limit steps are
// black.
func EncodePNG(w io.Writer, picture []uint16, width, limit int) error {
	shades := palette()
	canvas := image.NewPaletted(image.Rect(0, 0, width, len(picture)/width), shades)
	for i, k := range picture {
		if int(k) < limit {
			canvas.Pix[i] = uint8(1 + int(k)%(len(shades)-1))
		}
	}
	return png.Encode(w, canvas)
}

func palette() color.Palette {
	shades := color.Palette{color.RGBA{A: 255}}
	for i := range 255 {
		turn := 2 * math.Pi * float64(i) / 255
		wave := func(by float64) uint8 { return uint8(140 - 110*math.Cos(2*turn+by)) }
		shades = append(shades, color.RGBA{R: wave(0), G: wave(0.6), B: wave(1.5), A: 255})
	}
	return shades
}
