package timeline

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
)

// Span is an interval of time at one rank, in milliseconds.
type Span struct {
	Rank     int
	From, To float64
}

// Save draws a row per rank, coloured by the parts of the run. The run must have recorded spans
// (fagus.Config.Timeline). Beside the rows of a process is a strip: the shares of the time in which
// it had a processor, and in which it was ready to run and had none, if the system counts that.
func Save(path string, clock dimmnet.Clock, ranks []fagus.Stats) error {
	p := figure.NewPlot()
	p.X.Label.Text = string(clock) + " time (ms)"
	p.X.Tick.Marker = plot.TickerFunc(figure.EvenTicks)
	p.Y.Min, p.Y.Max = -0.6, float64(len(ranks))-0.4
	p.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick { return figure.Ticks(max(1, int(high-low)/16), high) })
	p.Y.Label.Text = "rank"
	legend := figure.NewLegend()
	spans := Spans(ranks)
	for part := range fagus.Parts {
		if len(spans[part]) == 0 {
			continue
		}
		b := &Bars{Spans: spans[part], Color: Color(part)}
		p.Add(b)
		legend.Add(part.String(), b)
		for _, s := range spans[part] {
			p.X.Max = max(p.X.Max, s.To)
		}
	}
	p.X.Min = 0

	const margin = 8
	width, right := 680.0, 0.0
	processes := strips(ranks)
	if processes != nil {
		width, right = width+stripsAll, stripsAll
		legend.Add("processor", gotColor())
		legend.Add("no processor", waitedColor())
	}
	return figure.Save(path, width, max(130, 60+24*float64(min(len(ranks), 64))), func(all draw.Canvas) {
		figure.Beside(all, func(c draw.Canvas) {
			c = draw.Crop(c, vg.Points(margin), -vg.Points(right), vg.Points(margin), -vg.Points(margin))
			p.Draw(c)
			drawStrips(c, p, processes)
		}, &legend)
	})
}

// Spans returns the intervals of each part, from those that ranks have recorded.
func Spans(ranks []fagus.Stats) [fagus.Parts][]Span {
	var spans [fagus.Parts][]Span
	ms := func(t dimmnet.Time) float64 { return float64(t) / float64(dimmnet.Millisecond) }
	for i := range ranks {
		for _, s := range ranks[i].Spans {
			spans[s.Part] = append(spans[s.Part], Span{ranks[i].Rank, ms(s.From), ms(s.To)})
		}
	}
	return spans
}

// Color returns the colour of a part.
func Color(p fagus.Part) color.Color {
	switch p {
	case fagus.PartCompute:
		return figure.Green()
	case fagus.PartAcquire:
		return figure.Blue()
	case fagus.PartRelease:
		return figure.Yellow()
	case fagus.PartUpdate:
		return figure.Red()
	case fagus.PartBarrier:
		return figure.Purple()
	}
	return color.RGBA{R: 0xb8, G: 0xb8, B: 0xb8, A: 0xff}
}

// Bars draws the spans of one part.
type Bars struct {
	Spans []Span
	Color color.Color
}

// Plot fills a rectangle for every span.
func (b *Bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, s := range b.Spans {
		lo, hi := y(float64(s.Rank)-0.35), y(float64(s.Rank)+0.35)
		figure.Fill(c, b.Color, vg.Point{X: x(s.From), Y: lo}, vg.Point{X: x(s.To), Y: hi})
	}
}

// Thumbnail fills the square of the legend.
func (b *Bars) Thumbnail(c *draw.Canvas) { figure.Fill(*c, b.Color, c.Min, c.Max) }
