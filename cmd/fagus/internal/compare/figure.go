package compare

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// totalFigure draws the total times, with a legend.
func totalFigure(c *comparison) (*figure.Figure, error) {
	p, legend, err := c.totalPlot()
	return &figure.Figure{Width: 680, Height: 360, Paint: func(all draw.Canvas) {
		figure.Beside(all, func(left draw.Canvas) {
			p.Draw(draw.Crop(left, vg.Points(8), -vg.Points(8), vg.Points(8), -vg.Points(8)))
		}, legend)
	}}, err
}

// panel returns a figure of a plot without a legend.
func panel(p *plot.Plot, width float64) *figure.Figure {
	return &figure.Figure{Width: width, Height: panelHeight, Paint: func(all draw.Canvas) {
		p.Draw(draw.Crop(all, vg.Points(4), -vg.Points(8), vg.Points(4), -vg.Points(8)))
	}}
}

// totalPlot returns a plot of the total times, and its legend. Both axes are logarithmic, so that
// slow versions and small sizes can be read, too; sizes that are no numbers have equal distances.
func (c *comparison) totalPlot() (*plot.Plot, *plot.Legend, error) {
	p := figure.NewPlot()
	p.Title.Text = "Total time of " + c.App + " on " + runflags.NodesText(c.Nodes)
	p.X.Label.Text, p.Y.Label.Text = cmp.Or(c.SizeFlag, "n")+" (size of the problem)", string(c.Clock)+" time"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(figure.LogTimeTicks)
	if c.numbers() {
		p.X.Scale = plot.LogScale{}
	}
	p.X.Tick.Marker = plot.TickerFunc(func(_, _ float64) (list []plot.Tick) {
		for i, n := range c.Sizes {
			list = append(list, plot.Tick{Value: float64(n), Label: c.sizeName(i)})
		}
		return list
	})
	p.Add(plotter.NewGrid())
	legend := figure.NewLegend()
	for i, v := range c.Versions {
		points := c.totals(v.Name)
		if len(points) == 0 {
			continue // the version has taken no time, which a logarithmic axis does not have
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, nil, err
		}
		line.Color, line.Width = versionColor(i), vg.Points(1.5)
		dots.Color, dots.Shape, dots.Radius = versionColor(i), draw.CircleGlyph{}, vg.Points(3)
		p.Add(line, dots)
		legend.Add(v.Name, line, dots)
	}
	margin(&p.X, 1.25)
	margin(&p.Y, 1.25)
	return p, &legend, nil
}

// totals returns the total times of a version in seconds, over the sizes, without those that are 0.
func (c *comparison) totals(version string) (points plotter.XYs) {
	for _, n := range c.Sizes {
		for _, r := range c.OfSize(n) {
			if t := r.TimeNs[totalName].Median; r.Version == version && t > 0 {
				points = append(points, plotter.XY{X: float64(n), Y: float64(base.Nanoseconds(t)) / float64(dimmnet.Second)})
			}
		}
	}
	return points
}

// margin moves the ends of an axis away from the data, by a factor if the axis is logarithmic.
func margin(a *plot.Axis, factor float64) {
	if math.IsInf(a.Min, 0) || math.IsInf(a.Max, 0) { // no data
		a.Min, a.Max = 1, 10
	}
	if _, log := a.Scale.(plot.LogScale); log {
		a.Min, a.Max = a.Min/factor, a.Max*factor
		return
	}
	a.Min, a.Max = a.Min-0.5, a.Max+0.5
}

// numbers reports whether the sizes are numbers of which a logarithm exists.
func (c *comparison) numbers() bool {
	for i, n := range c.Sizes {
		if n <= 0 || c.sizeName(i) != strconv.Itoa(n) {
			return false
		}
	}
	return true
}

func (c *comparison) sizeName(i int) string {
	if i < len(c.SizeNames) {
		return c.SizeNames[i]
	}
	return strconv.Itoa(c.Sizes[i])
}

const (
	panelHeight        = 300 // in points, without the title
	barWidth, barSpace = 44, 22
)

// panelWidth returns the width of a panel of partsFigure, in points.
func (c *comparison) panelWidth() float64 { return 90 + (barWidth+barSpace)*float64(len(c.Versions)) }

// partsFigure draws the parts: a panel per size, each with its own scale, with a bar per version.
func partsFigure(c *comparison) (*figure.Figure, error) {
	const widest = 1200
	columns := min(len(c.Sizes), max(1, int((widest-figure.LegendWidth)/c.panelWidth())))
	panels := make([][]*plot.Plot, (len(c.Sizes)+columns-1)/columns)
	for row := range panels {
		panels[row] = make([]*plot.Plot, columns)
	}
	for i, n := range c.Sizes {
		p, err := c.partsPanel(n)
		if err != nil {
			return nil, err
		}
		panels[i/columns][i%columns] = p
	}
	legend := figure.NewLegend()
	for _, part := range slices.Backward(c.drawn()) { // in the order of the stacked bars
		if c.spends(part) {
			legend.Add(part.String(), swatch{partColor(part)})
		}
	}
	width, height := c.panelWidth()*float64(columns)+figure.LegendWidth, float64(panelHeight*len(panels))
	return &figure.Figure{Width: width, Height: height, Paint: func(all draw.Canvas) {
		figure.Beside(all, func(left draw.Canvas) {
			tiles := draw.Tiles{Rows: len(panels), Cols: columns, PadX: vg.Points(16), PadY: vg.Points(16), PadTop: vg.Points(8), PadBottom: vg.Points(8), PadLeft: vg.Points(8)}
			canvases := plot.Align(panels, tiles, left)
			for i := range c.Sizes {
				panels[i/columns][i%columns].Draw(canvases[i/columns][i%columns])
			}
		}, &legend)
	}}, nil
}

// drawn returns the parts in the bars: all, or all but compute if nothing else would be visible.
func (c *comparison) drawn() (parts []fagus.Part) {
	const visible = 0.1 // of a bar
	hides := c.spends(fagus.PartCompute)
	for _, r := range c.Results {
		all := r.partsNs(c.parts())
		hides = hides && float64(all-r.TimeNs[fagus.PartCompute.String()].Median) < visible*float64(all)
	}
	for _, part := range c.parts() {
		if part != fagus.PartCompute || !hides {
			parts = append(parts, part)
		}
	}
	return parts
}

func (c *comparison) parts() (all []fagus.Part) {
	for part := range fagus.Parts {
		all = append(all, part)
	}
	return all
}

func (c *comparison) spends(part fagus.Part) bool {
	for _, r := range c.Results {
		if r.TimeNs[part.String()].Median > 0 {
			return true
		}
	}
	return false
}

// partsPanel draws a bar per version with one size. The bar of a version that takes far longer than
// the others is broken: its parts have the right proportions, but a smaller scale.
func (c *comparison) partsPanel(n int) (*plot.Plot, error) {
	results := c.OfSize(n)
	p := figure.NewPlot()
	p.Title.Text = cmp.Or(c.Size(n), c.App)
	p.Y.Label.Text = string(c.Clock) + " time (ms), mean of the ranks"
	if c.critical() {
		p.Y.Label.Text = string(c.Clock) + " time (ms), critical path"
	}
	drawn := c.drawn()
	if !slices.Contains(drawn, fagus.PartCompute) {
		p.Y.Label.Text += ", without compute"
	}
	p.Y.Min = 0
	var names []string
	tops := &barTops{width: vg.Points(barWidth)}
	heights, highest := make([]float64, len(results)), 0.0
	longest := longestByFar(results, func(r *compared) int64 { return r.partsNs(drawn) })
	for i, r := range results {
		names = append(names, strings.ReplaceAll(r.Version, " ", "\n"))
		heights[i] = milliseconds(r.partsNs(drawn))
		if longest == nil || r.Version != longest.Version {
			highest = max(highest, heights[i])
		}
	}
	scales := slices.Repeat([]float64{1}, len(results))
	for i, r := range results {
		broken := longest != nil && r.Version == longest.Version && highest > 0 && heights[i] > brokenHeight*highest
		if broken {
			scales[i] = brokenHeight * highest / heights[i]
		}
		tops.bars = append(tops.bars, barTop{heights[i] * scales[i], figure.Short(base.Nanoseconds(r.partsNs(drawn))), broken})
	}
	var below *plotter.BarChart
	for _, part := range drawn {
		var values plotter.Values
		for i, r := range results {
			values = append(values, scales[i]*milliseconds(r.TimeNs[part.String()].Median))
		}
		bar, err := plotter.NewBarChart(values, vg.Points(barWidth))
		if err != nil {
			return nil, err
		}
		bar.Color, bar.LineStyle.Width = partColor(part), 0
		if below != nil {
			bar.StackOn(below)
		}
		p.Add(bar)
		below = bar
	}
	p.Add(tops)
	p.NominalX(names...)
	p.X.Tick.Label.Font = figure.Font(9)
	p.Y.Tick.Marker = plot.TickerFunc(figure.EvenTicks)
	p.Y.Max *= 1.12 // room for the times above the bars
	return p, nil
}

// brokenHeight is the height of a broken bar, divided by the height of the highest other bar.
const brokenHeight = 1.25

func (r *compared) totalNs() int64 { return r.TimeNs[totalName].Median }

// partsNs returns the sum of some parts.
func (r *compared) partsNs(parts []fagus.Part) (ns int64) {
	for _, part := range parts {
		ns += r.TimeNs[part.String()].Median
	}
	return ns
}

func milliseconds(ns int64) float64 {
	return float64(base.Nanoseconds(ns)) / float64(dimmnet.Millisecond)
}

// barTops draws a time above each bar, and a gap into bars that are broken.
type barTops struct {
	bars  []barTop // at 0, 1 and so on
	width vg.Length
}

type barTop struct {
	height float64
	text   string
	broken bool
}

// Plot draws the texts and gaps.
func (b *barTops) Plot(c draw.Canvas, p *plot.Plot) {
	style := p.X.Tick.Label
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	x, y := p.Transforms(&c)
	for i, bar := range b.bars {
		middle := x(float64(i))
		c.FillText(style, vg.Point{X: middle, Y: y(bar.height) + vg.Points(2)}, bar.text)
		if !bar.broken {
			continue
		}
		const gap, slant = 5, 6 // in points
		left, right, at := middle-b.width/2-1, middle+b.width/2+1, y(0.88*bar.height)
		c.FillPolygon(color.White, []vg.Point{
			{X: left, Y: at - vg.Points(slant)}, {X: right, Y: at}, {X: right, Y: at + vg.Points(gap)}, {X: left, Y: at + vg.Points(gap-slant)},
		})
	}
}

// The bar of a version that takes byFar times as long as the next slowest one is broken, and its
// timeline has its own scale: on a common scale the other versions would look equal.
const byFar = 2

// longestByFar returns the result for one size whose time is the longest by far, or nil.
func longestByFar(results []compared, of func(*compared) int64) (longest *compared) {
	var total, next int64
	for i := range results {
		switch t := of(&results[i]); {
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

// versionColor returns the colour of the i-th version. After six versions the colours repeat.
func versionColor(i int) color.Color {
	palette := [...]color.Color{
		figure.Red(), figure.Blue(), figure.Green(), figure.Purple(), figure.Yellow(), color.RGBA{R: 0x55, G: 0x55, B: 0x55, A: 0xff},
	}
	return palette[i%len(palette)]
}

// partColor returns the colour of a part, which is also that of fagus.Report.Timeline.
func partColor(p fagus.Part) color.Color {
	return [fagus.Parts]color.Color{
		figure.Green(), figure.Blue(), figure.Yellow(), figure.Red(), figure.Purple(), color.RGBA{R: 0xb8, G: 0xb8, B: 0xb8, A: 0xff},
	}[p]
}

// swatch is a colour in the legend.
type swatch struct{ color.Color }

// Thumbnail fills the square of the legend.
func (s swatch) Thumbnail(c *draw.Canvas) { figure.Fill(*c, s.Color, c.Min, c.Max) }
