package travel

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
)

const (
	mostPixels  = 1 << 13 // rows, and columns
	leastPixels = 512     // of the longer side: small matrices are enlarged
)

// scale is the range of the finite numbers in pictures.
type scale struct {
	least, most float64
	any         bool // there are some
}

func (s *scale) add(m *memory) {
	for i := range m.length() {
		switch x := m.number(i); {
		case math.IsInf(x, 0) || math.IsNaN(x):
		case s.any:
			s.least, s.most = min(s.least, x), max(s.most, x)
		default:
			*s = scale{x, x, true}
		}
	}
}

// picture writes a picture of a matrix, in which the least number is dark blue, the largest is
// yellow, and what is no finite number is red.
func (m *memory) picture(w io.Writer, columns int, s scale) error {
	rows := m.length() / columns
	size := max(1, leastPixels/max(rows, columns))
	p := image.NewRGBA(image.Rect(0, 0, columns*size, rows*size))
	for y := range rows * size {
		for x := range columns * size {
			p.SetRGBA(x, y, s.color(m.number(y/size*columns+x/size)))
		}
	}
	return png.Encode(w, p)
}

// number returns an element as a number; the absolute value of a complex one.
func (m *memory) number(element int) float64 {
	n, b := m.numbers.Number, m.bytes[element*m.Element:][:m.Element]
	switch {
	case n.Field == "complex":
		return n.Distance(b, make([]byte, len(b)))
	case n.Floating():
		return real(n.Complex(b))
	}
	return n.Integer(b)
}

// color returns a color between dark blue and yellow, by way of green, as bright as the number is
// large.
func (s *scale) color(x float64) color.RGBA {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return color.RGBA{255, 0, 0, 255}
	}
	t := 0.0
	if s.most > s.least {
		t = x/(s.most-s.least) - s.least/(s.most-s.least)
	}
	viridis := [...][3]float64{{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}
	at := min(max(t, 0), 1) * float64(len(viridis)-1)
	i := min(int(at), len(viridis)-2)
	mix := func(k int) uint8 { return uint8(viridis[i][k] + (at-float64(i))*(viridis[i+1][k]-viridis[i][k]) + 0.5) }
	return color.RGBA{mix(0), mix(1), mix(2), 255}
}
