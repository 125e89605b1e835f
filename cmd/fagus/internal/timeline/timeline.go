package timeline

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// Span is an interval of virtual time at one rank, in milliseconds.
type Span struct {
	Rank     int
	From, To float64
}

// Save draws a row per rank, coloured by the parts of the run between the changes in trace.
func Save(path string, nodes int, trace []sim.Record) error {
	p := figure.NewPlot()
	p.X.Label.Text = "virtual time (ms)"
	p.X.Tick.Marker = plot.TickerFunc(figure.EvenTicks)
	p.Y.Min, p.Y.Max = -0.6, float64(nodes)-0.4
	p.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick { return figure.Ticks(max(1, int(high-low)/16), high) })
	p.Y.Label.Text = "rank"
	legend := figure.NewLegend()
	spans := Spans(nodes, trace)
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

	const width, margin = 680, 8
	return figure.Save(path, width, max(130, 60+24*float64(min(nodes, 64))), func(all draw.Canvas) {
		figure.Beside(all, func(c draw.Canvas) { p.Draw(draw.Crop(c, vg.Points(margin), 0, vg.Points(margin), -vg.Points(margin))) }, &legend)
	})
}

// Spans returns the intervals of each part. A record of trace names a rank and the part it enters.
func Spans(nodes int, trace []sim.Record) [fagus.Parts][]Span {
	var spans [fagus.Parts][]Span
	type open struct {
		part  fagus.Part
		since dimmnet.Time
	}
	now := make([]open, nodes)
	ms := func(t dimmnet.Time) float64 { return float64(t) / float64(dimmnet.Millisecond) }
	for _, r := range trace {
		o := &now[r.Rank]
		if r.At > o.since {
			spans[o.part] = append(spans[o.part], Span{int(r.Rank), ms(o.since), ms(r.At)})
		}
		for part := range fagus.Parts {
			if part.String() == r.Note {
				*o = open{part, r.At}
			}
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
