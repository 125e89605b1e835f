package timeline

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/fagus"
)

// strip is the processor time of one process: the shares of its ranks' time.
type strip struct {
	first, ranks int
	got, wanted  float64
}

// strips returns a strip for each process; none if the system has counted nothing.
func strips(ranks []fagus.Stats) (all []strip) {
	for i := range ranks {
		u := ranks[i].Usage
		if u.Ranks == 0 || i+u.Ranks > len(ranks) {
			continue
		}
		total := fagus.Time(0)
		for r := range u.Ranks {
			total += ranks[i+r].Total()
		}
		share := func(t fagus.Time) float64 { return float64(t) / float64(max(1, total)) }
		all = append(all, strip{i, u.Ranks, share(u.Got), share(max(u.Got, u.Wanted))})
	}
	return all
}

// Sizes of the strips beside the rows, in points.
const (
	stripGap   = 8
	stripWidth = 48
	stripText  = 40
	stripsAll  = stripGap + stripWidth + stripText
)

// swatch is a colour in the legend.
type swatch struct{ color.Color }

// Thumbnail fills the square of the legend.
func (s swatch) Thumbnail(c *draw.Canvas) { figure.Fill(*c, s.Color, c.Min, c.Max) }

func gotColor() swatch    { return swatch{color.RGBA{R: 0x40, G: 0x40, B: 0x40, A: 0xff}} }
func waitedColor() swatch { return swatch{color.RGBA{R: 0xe0, G: 0x8a, B: 0x8a, A: 0xff}} }
func emptyColor() swatch  { return swatch{color.RGBA{R: 0xec, G: 0xec, B: 0xec, A: 0xff}} }

// drawStrips draws the strips at the right of the plot p on the canvas c. Threads beside those of
// the ranks count, too: a share ends at the end of the strip.
func drawStrips(c draw.Canvas, p *plot.Plot, all []strip) {
	data := p.DataCanvas(c)
	_, y := p.Transforms(&data)
	left := data.Max.X + vg.Points(stripGap)
	style := draw.TextStyle{Color: color.Black, Font: figure.Font(10), YAlign: text.YCenter, Handler: p.Title.TextStyle.Handler}
	for _, s := range all {
		lo, hi := y(float64(s.first)-0.35), y(float64(s.first+s.ranks-1)+0.35)
		fill := func(share float64, with swatch) {
			figure.Fill(c, with.Color, vg.Point{X: left, Y: lo}, vg.Point{X: left + vg.Points(stripWidth*min(1, share)), Y: hi})
		}
		fill(1, emptyColor())
		fill(s.wanted, waitedColor())
		fill(s.got, gotColor())
		if hi-lo > vg.Points(8) {
			c.FillText(style, vg.Point{X: left + vg.Points(stripWidth+4), Y: (lo + hi) / 2}, fmt.Sprintf("%.0f %%", 100*s.got))
		}
	}
}
