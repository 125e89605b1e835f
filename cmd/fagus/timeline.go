package main

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// span is a part of a rank's time, in milliseconds.
type span struct {
	rank     int
	from, to float64
}

// drawTimeline draws a row a rank, coloured by what the rank did, from the
// changes of state in a run's trace.
func drawTimeline(path string, nodes int, trace []sim.Record) error {
	p := plot.New()
	p.X.Label.Text = "virtual time (ms)"
	p.Y.Min, p.Y.Max = -0.6, float64(nodes)-0.4
	p.Y.Tick.Marker = plot.TickerFunc(rankTicks)
	p.Y.Label.Text = "rank"
	legend := plot.NewLegend()
	legend.Top, legend.Padding = true, vg.Points(2)
	spans := spansByPart(nodes, trace)
	for part := range fagus.Parts {
		if len(spans[part]) == 0 {
			continue
		}
		b := &bars{spans: spans[part], color: partColor(part)}
		p.Add(b)
		legend.Add(part.String(), b)
		for _, sp := range spans[part] {
			p.X.Max = max(p.X.Max, sp.to)
		}
	}
	p.X.Min = 0

	const width, legendWidth, margin = 640, 80, 8
	return saveFigure(path, width, max(110, 60+24*float64(min(nodes, 64))), func(all draw.Canvas) {
		p.Draw(draw.Crop(all, 0, -vg.Points(legendWidth), 0, -vg.Points(margin)))
		legend.Draw(draw.Crop(all, 0, -vg.Points(margin), 0, -vg.Points(margin)))
	})
}

// spansByPart turns "rank r entered part p at t" into intervals.
func spansByPart(nodes int, trace []sim.Record) [fagus.Parts][]span {
	var spans [fagus.Parts][]span
	type open struct {
		part  fagus.Part
		since dimmnet.Time
	}
	now := make([]open, nodes)
	ms := func(t dimmnet.Time) float64 { return float64(t) / float64(dimmnet.Millisecond) }
	for _, r := range trace {
		o := &now[r.Rank]
		if r.At > o.since {
			spans[o.part] = append(spans[o.part], span{int(r.Rank), ms(o.since), ms(r.At)})
		}
		for part := range fagus.Parts {
			if part.String() == r.Note {
				*o = open{part, r.At}
			}
		}
	}
	return spans
}

func partColor(p fagus.Part) color.Color {
	switch p {
	case fagus.PartCompute:
		return color.RGBA{R: 0x4c, G: 0x9f, B: 0x70, A: 0xff}
	case fagus.PartAcquire:
		return color.RGBA{R: 0x2f, G: 0x6d, B: 0xb5, A: 0xff}
	case fagus.PartRelease:
		return color.RGBA{R: 0xe0, G: 0xb0, B: 0x30, A: 0xff}
	case fagus.PartUpdate:
		return color.RGBA{R: 0xd0, G: 0x5a, B: 0x3c, A: 0xff}
	case fagus.PartBarrier:
		return color.RGBA{R: 0x8a, G: 0x5f, B: 0xa8, A: 0xff}
	}
	return color.RGBA{R: 0xb8, G: 0xb8, B: 0xb8, A: 0xff}
}

func rankTicks(low, high float64) []plot.Tick { return ticks(max(1, int(high-low)/16), high) }

// bars draws the spans of one part.
type bars struct {
	spans []span
	color color.Color
}

// Plot fills a rectangle for every span.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, s := range b.spans {
		lo, hi := y(float64(s.rank)-0.35), y(float64(s.rank)+0.35)
		fill(c, b.color, vg.Point{X: x(s.from), Y: lo}, vg.Point{X: x(s.to), Y: hi})
	}
}

// Thumbnail fills the legend's square.
func (b *bars) Thumbnail(c *draw.Canvas) {
	fill(*c, b.color, c.Min, c.Max)
}
