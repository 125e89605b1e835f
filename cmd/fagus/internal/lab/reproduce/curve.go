package reproduce

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/apps/reproduce"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
)

func drawCurve(path string, c *reproduce.Curve) error {
	botf, push := make(plotter.XYs, len(c.Points)), make(plotter.XYs, len(c.Points))
	for i, p := range c.Points {
		botf[i].X, botf[i].Y = float64(p.Bytes), p.BOTF()
		push[i].X, push[i].Y = float64(p.Bytes), p.PUSH()
	}
	p := figure.NewPlot()
	p.Title.Text = "Bandwidth until the ACK, simulated DIMMnet-1 (env " + c.Env + ")"
	p.X.Label.Text, p.Y.Label.Text = "message size (bytes)", "bandwidth (MB/s)"
	p.X.Min, p.Y.Min = 0, 0
	const block = 464 // payload of a BOTF packet, in bytes
	p.X.Tick.Marker = plot.TickerFunc(func(_, high float64) []plot.Tick { return figure.Ticks(block, high) })
	p.Y.Tick.Marker = plot.TickerFunc(func(_, high float64) []plot.Tick { return figure.Ticks(50, high) })
	legend := figure.NewLegend()
	p.Add(plotter.NewGrid())
	for _, l := range []struct {
		name   string
		points plotter.XYs
		color  color.Color
	}{
		{"BOTF", botf, figure.Red()},
		{"PUSH", push, figure.Blue()},
	} {
		line, err := plotter.NewLine(l.points)
		if err != nil {
			return err
		}
		line.Color, line.Width = l.color, vg.Points(1.5)
		p.Add(line)
		legend.Add(l.name, line)
	}
	return figure.Save(path, 680, 340, func(all draw.Canvas) {
		figure.Beside(all, func(c draw.Canvas) { p.Draw(draw.Crop(c, vg.Points(8), -vg.Points(12), vg.Points(8), -vg.Points(8))) }, &legend)
	})
}
