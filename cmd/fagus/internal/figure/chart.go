package figure

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Chart is a diagram of Lines, with a grid, or of Bars.
type Chart struct {
	Title string
	X, Y  Axis
	Lines []Line
	Bars  []Bar // from left to right; X is then unused
}

// Axis is a scale from Low to High.
type Axis struct {
	Label     string
	Low, High float64
	Log       bool // the scale is logarithmic, and Low and all values are above 0
	Ticks     []Tick
}

// Line is a curve. Its Mark is Stroke or Dots.
type Line struct {
	Key
	Points []Point
}

// Point is a point of a curve, in the units of the axes.
type Point struct{ X, Y float64 }

// Key is an entry of a legend.
type Key struct {
	Name  string
	Color Color
	Mark  Mark
}

// Mark is how a chart shows what a Key names.
type Mark int

// The zero Mark is Area.
const (
	Area   Mark = iota // as a part of a bar
	Stroke             // as a line
	Dots               // as a line with a dot at each point
)

// Bar is a bar of stacked parts.
type Bar struct {
	Name   string // below the bar, with a line for each word
	Text   string // above it
	Parts  []Part // the first is at the bottom
	Broken bool   // a gap shows that the bar is not on the scale of the axis
}

// Part is a part of a bar, in the unit of the axis Y.
type Part struct {
	Size  float64
	Color Color
}

// Keys returns the keys of the lines.
func (c *Chart) Keys() (keys []Key) {
	for _, l := range c.Lines {
		keys = append(keys, l.Key)
	}
	return keys
}

// Figure returns a figure of the chart. If there are keys, a legend at the right takes LegendWidth
// of its width.
func (c *Chart) Figure(width, height float64, keys ...Key) *Figure {
	f := New(width, height)
	if len(keys) > 0 {
		width -= LegendWidth
	}
	c.Draw(f, 0, 0, width, height)
	f.Legend(keys...)
	return f
}

// LegendWidth is the width of the margin that Legend writes to, in points.
const LegendWidth = 130

// Legend draws a legend at the upper right of the figure.
func (f *Figure) Legend(keys ...Key) {
	const width, row = 16, 13
	x, y := f.Width-LegendWidth+8, 32.0
	for _, k := range keys {
		switch k.Mark {
		case Area:
			f.Rect(x, y-5, width, 10, k.Color)
		case Dots:
			f.dot(k.Color, Point{x + width/2, y})
			fallthrough
		case Stroke:
			f.stroke(k.Color, lineWidth, Point{x, y}, Point{x + width, y})
		}
		f.Text(x+width+4, y, labelSize, Left, k.Name)
		y += row
	}
}

// Sizes in points.
const (
	titleSize = 12
	labelSize = 10
	nameSize  = 9 // of the names of bars, which are side by side
	lineWidth = 1.5
	thin      = 0.5 // of axes and grids
	tickSize  = 5
)

// Draw draws the chart into a rectangle of a figure whose upper left corner is (x, y).
func (c *Chart) Draw(f *Figure, x, y, width, height float64) {
	const top, right, bottom = 28, 16, 44
	p := pen{f, c, x + c.labelWidth(), y + top, x + width - right, y + height - bottom}
	f.Text(p.center(), y+14, titleSize, Center, c.Title)
	f.Text(p.center(), y+height-12, labelSize, Center, c.X.Label)
	f.text(x+14, (p.top+p.bottom)/2, labelSize, Center, -90, c.Y.Label)
	for _, t := range c.Y.Ticks {
		at := p.y(t.Value)
		if len(c.Lines) > 0 {
			f.stroke(grey, thin, Point{p.left, at}, Point{p.right, at})
		}
		f.stroke(black, thin, Point{p.left - tickSize, at}, Point{p.left, at})
		f.Text(p.left-tickSize-3, at, labelSize, Right, t.Label)
	}
	p.lines()
	p.bars()
	f.stroke(black, thin, Point{p.left, p.top}, Point{p.left, p.bottom}, Point{p.right, p.bottom})
}

// labelWidth returns the width of the margin for the labels of the axis Y. It is the same for all
// charts whose labels are short, so that charts below each other are aligned.
func (c *Chart) labelWidth() float64 {
	const digit = 6.4 // the width of a digit in a wide font
	longest := 5
	for _, t := range c.Y.Ticks {
		longest = max(longest, utf8.RuneCountInString(t.Label))
	}
	return 32 + digit*float64(longest)
}

// pen draws a chart into the rectangle that its axes enclose.
type pen struct {
	*Figure
	*Chart
	left, top, right, bottom float64
}

func (p *pen) center() float64         { return (p.left + p.right) / 2 }
func (p *pen) x(value float64) float64 { return p.left + (p.right-p.left)*p.X.share(value) }
func (p *pen) y(value float64) float64 { return p.bottom - (p.bottom-p.top)*p.Y.share(value) }

// share returns where a value is on the axis: 0 at Low, 1 at High.
func (a *Axis) share(value float64) float64 {
	low, high := a.Low, a.High
	if a.Log {
		low, high, value = math.Log(low), math.Log(high), math.Log(value)
	}
	if high <= low {
		return 0 // there is nothing to show
	}
	return (value - low) / (high - low)
}

// lines draws the ticks of the axis X, and the curves.
func (p *pen) lines() {
	for _, t := range p.X.Ticks {
		at := p.x(t.Value)
		p.stroke(grey, thin, Point{at, p.top}, Point{at, p.bottom})
		p.stroke(black, thin, Point{at, p.bottom}, Point{at, p.bottom + tickSize})
		p.Text(at, p.bottom+tickSize+8, labelSize, Center, t.Label)
	}
	for _, l := range p.Lines {
		var points []Point
		for _, v := range l.Points {
			points = append(points, Point{p.x(v.X), p.y(v.Y)})
		}
		p.stroke(l.Color, lineWidth, points...)
		if l.Mark == Dots {
			for _, at := range points {
				p.dot(l.Color, at)
			}
		}
	}
}

// bars draws the bars, with their names and texts.
func (p *pen) bars() {
	pitch := (p.right - p.left) / float64(max(1, len(p.Bars)))
	width := pitch * 2 / 3
	for i, b := range p.Bars {
		center := p.left + pitch*(float64(i)+0.5)
		left, right := center-width/2, center+width/2
		sum := 0.0
		for _, part := range b.Parts {
			if part.Size > 0 {
				p.Rect(left, p.y(sum+part.Size), width, p.y(sum)-p.y(sum+part.Size), part.Color)
			}
			sum += part.Size
		}
		p.Text(center, p.y(sum)-7, nameSize, Center, b.Text)
		for line, word := range strings.Fields(b.Name) {
			p.Text(center, p.bottom+10+10*float64(line), nameSize, Center, word)
		}
		if b.Broken {
			const slant, gap = 6, 5
			at := p.y(0.88 * sum)
			p.polygon(white, Point{left - 1, at + slant}, Point{right + 1, at}, Point{right + 1, at - gap}, Point{left - 1, at + slant - gap})
		}
	}
}
