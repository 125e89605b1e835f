package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// Font returns the font of all figures in a size in points. An SVG file names fonts of the same
// widths for systems without this one.
func Font(size float64) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: variant}, vg.Points(size))
}

const variant = "Sans"

// NewPlot returns an empty plot with the font of figures.
func NewPlot() *plot.Plot {
	p := plot.New()
	for _, s := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		s.Font.Variant = variant
	}
	p.X.Label.Padding, p.Y.Label.Padding = vg.Points(4), vg.Points(4)
	p.Title.Padding = vg.Points(6)
	return p
}

// NewLegend returns an empty legend for the right margin of a figure, which is LegendWidth wide.
func NewLegend() plot.Legend {
	l := plot.NewLegend()
	l.TextStyle.Font = Font(10)
	l.Top, l.Left = true, true
	l.Padding = vg.Points(3)
	l.ThumbnailWidth = vg.Points(16)
	return l
}

// LegendWidth is the width of the margin for a legend, in points.
const LegendWidth = 120

// Beside draws a figure and its legend in the right margin.
func Beside(all draw.Canvas, paint func(draw.Canvas), legend *plot.Legend) {
	paint(draw.Crop(all, 0, -vg.Points(LegendWidth), 0, 0))
	margin := all
	margin.Min.X = all.Max.X - vg.Points(LegendWidth-8)
	legend.Draw(draw.Crop(margin, 0, 0, 0, -vg.Points(24)))
}

// LogTimeTicks returns ticks for a logarithmic axis of times in seconds, labelled with their units:
// at 1, 2 and 5 x 10^n, or, if these are many, at 10^n alone.
func LogTimeTicks(low, high float64) (list []plot.Tick) {
	factors := []int{1, 2, 5}
	if math.Log10(high/low) > 3 {
		factors = factors[:1]
	}
	for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
		for _, factor := range factors {
			x := float64(factor) * math.Pow(10, power)
			if x >= low && x <= high {
				list = append(list, plot.Tick{Value: x, Label: Short(dimmnet.Time(math.Round(x * float64(dimmnet.Second))))})
			}
		}
	}
	return list
}

// Short returns a time in at most three digits, with its unit.
func Short(t dimmnet.Time) string {
	units := []struct {
		unit dimmnet.Time
		name string
	}{{dimmnet.Nanosecond, "ns"}, {dimmnet.Microsecond, "µs"}, {dimmnet.Millisecond, "ms"}, {dimmnet.Second, "s"}}
	use := units[0]
	for _, u := range units[1:] {
		if float64(t)/float64(u.unit) > 0.9995 { // does not round to 1000 of the unit before
			use = u
		}
	}
	x := float64(t) / float64(use.unit)
	if x >= 100 {
		return fmt.Sprintf("%.0f %s", x, use.name)
	}
	return fmt.Sprintf("%.3g %s", x, use.name)
}
