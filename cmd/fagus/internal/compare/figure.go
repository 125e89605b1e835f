package compare

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/timeline"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/internal/runflags"
)

func totalFigure(c *comparison) (*figure.Figure, error) {
	p := plot.New()
	p.Title.Text = "Total time of " + c.App + " on " + runflags.NodesText(c.Nodes)
	p.X.Label.Text, p.Y.Label.Text = "n", string(c.Clock)+" time (s)"
	p.X.Min, p.Y.Min = 0, 0
	p.Y.Tick.Marker = plot.TickerFunc(figure.EvenTicks)
	longest := longestByFar(c.ofSize(c.Sizes[len(c.Sizes)-1]))
	if longest != nil {
		p.Title.Text += fmt.Sprintf("\n%s, at n = %d", leftOutText(longest), longest.N)
	}
	p.X.Tick.Marker = plot.TickerFunc(func(_, _ float64) (list []plot.Tick) {
		for _, n := range c.Sizes {
			list = append(list, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
		}
		return list
	})
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.Padding = vg.Points(10), vg.Points(2)
	p.Add(plotter.NewGrid())
	for i, v := range c.Versions {
		if longest != nil && v.Name == longest.Version {
			continue
		}
		var points plotter.XYs
		for _, n := range c.Sizes {
			for _, r := range c.ofSize(n) {
				if r.Version == v.Name {
					points = append(points, plotter.XY{X: float64(n), Y: seconds(r.TimeNs["total"].Median)})
				}
			}
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = versionColor(i), vg.Points(1.5)
		dots.Color, dots.Shape, dots.Radius = versionColor(i), draw.CircleGlyph{}, vg.Points(3)
		p.Add(line, dots)
		p.Legend.Add(v.Name, line, dots)
	}
	if len(c.Sizes) == 1 { // put the single size in the middle of the axis
		p.X.Max = 2 * float64(c.Sizes[0])
	}
	p.Y.Max *= figure.Headroom
	return &figure.Figure{Width: 560, Height: 340, Paint: func(all draw.Canvas) {
		p.Draw(draw.Crop(all, vg.Points(8), -vg.Points(16), vg.Points(8), -vg.Points(8)))
	}}, nil
}

// partsFigure draws the parts: a panel per size, each with its own scale, with a bar per version.
func partsFigure(c *comparison) (*figure.Figure, error) {
	const (
		legendWidth, panelHeight = 90, 340
		barWidth, gap            = 48, 24
		widest                   = 1000
	)
	panelWidth := max(260, 80+(barWidth+gap)*float64(len(c.Versions))) // room for the title
	columns := min(len(c.Sizes), max(1, int((widest-legendWidth)/panelWidth)))
	legend := plot.NewLegend()
	legend.Top, legend.Padding = true, vg.Points(2)
	panels := make([][]*plot.Plot, (len(c.Sizes)+columns-1)/columns)
	for row := range panels {
		panels[row] = make([]*plot.Plot, columns)
	}
	for i, n := range c.Sizes {
		results := c.ofSize(n)
		longest := longestByFar(results)
		if longest != nil {
			results = slices.DeleteFunc(results, func(r compared) bool { return r.Version == longest.Version })
		}
		p, err := partsPanel(results, vg.Points(barWidth))
		if err != nil {
			return nil, err
		}
		p.Title.Text = fmt.Sprintf("n = %d", n)
		if longest != nil {
			p.Title.Text += "\n" + leftOutText(longest)
		}
		if i%columns == 0 {
			p.Y.Label.Text = string(c.Clock) + " time (ms), mean of the ranks"
		}
		panels[i/columns][i%columns] = p
	}
	for part := fagus.Parts - 1; part >= 0; part-- { // in the order of the stacked bars
		if c.spends(part) {
			legend.Add(part.String(), &timeline.Bars{Color: timeline.Color(part)})
		}
	}
	width, height := panelWidth*float64(columns)+legendWidth, panelHeight*float64(len(panels))
	return &figure.Figure{Width: width, Height: height, Paint: func(all draw.Canvas) {
		tiles := draw.Tiles{Rows: len(panels), Cols: columns, PadX: vg.Points(12), PadY: vg.Points(16), PadTop: vg.Points(8), PadBottom: vg.Points(8), PadLeft: vg.Points(8)}
		left := draw.Crop(all, 0, -vg.Points(legendWidth), 0, 0)
		canvases := plot.Align(panels, tiles, left)
		for i := range c.Sizes {
			panels[i/columns][i%columns].Draw(canvases[i/columns][i%columns])
		}
		legend.Draw(draw.Crop(all, 0, -vg.Points(12), 0, -vg.Points(24)))
	}}, nil
}

func (c *comparison) spends(part fagus.Part) bool {
	for _, r := range c.Results {
		if r.TimeNs[part.String()].Median > 0 {
			return true
		}
	}
	return false
}

func partsPanel(results []compared, barWidth vg.Length) (*plot.Plot, error) {
	p := plot.New()
	p.Y.Min = 0
	var names []string
	for _, r := range results {
		names = append(names, r.Version)
	}
	var below *plotter.BarChart
	for part := range fagus.Parts {
		var values plotter.Values
		for _, r := range results {
			values = append(values, float64(base.Nanoseconds(r.TimeNs[part.String()].Median))/float64(dimmnet.Millisecond))
		}
		bar, err := plotter.NewBarChart(values, barWidth)
		if err != nil {
			return nil, err
		}
		bar.Color, bar.LineStyle.Width = timeline.Color(part), 0
		if below != nil {
			bar.StackOn(below)
		}
		p.Add(bar)
		below = bar
	}
	p.NominalX(names...)
	p.Y.Tick.Marker = plot.TickerFunc(figure.EvenTicks)
	p.Y.Max *= figure.Headroom
	return p, nil
}

// A version that takes byFar times as long as the next slowest one is left out of the figures:
// its scale would make the other versions look equal.
const byFar = 2

// longestByFar returns the result for one size that is left out of the figures, or nil.
func longestByFar(results []compared) (longest *compared) {
	var total, next int64
	for i := range results {
		switch t := results[i].TimeNs["total"].Median; {
		case longest == nil || t > total:
			longest, total, next = &results[i], t, total
		default:
			next = max(next, t)
		}
	}
	if len(results) < 2 || total <= byFar*next {
		return nil
	}
	found := *longest
	return &found
}

func leftOutText(r *compared) string {
	return fmt.Sprintf("without %s: %v", r.Version, r.TimeNs["total"])
}

func seconds(ns int64) float64 { return float64(base.Nanoseconds(ns)) / float64(dimmnet.Second) }

// versionColor returns the colour of the i-th version. After six versions the colours repeat.
func versionColor(i int) color.Color {
	palette := [...]color.Color{
		figure.Red(), figure.Blue(), figure.Green(), figure.Purple(), figure.Yellow(), color.RGBA{R: 0x55, G: 0x55, B: 0x55, A: 0xff},
	}
	return palette[i%len(palette)]
}
