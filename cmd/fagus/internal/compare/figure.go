package compare

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// totalFigure draws the total times, with a legend.
func totalFigure(c *comparison) *figure.Figure {
	chart := c.totalChart()
	return chart.Figure(680, 360, chart.Keys()...)
}

// totalChart returns a chart of the total times. Both axes are logarithmic, so that slow versions
// and small sizes can be read, too; sizes that are no numbers have equal distances.
func (c *comparison) totalChart() *figure.Chart {
	chart := &figure.Chart{
		Title: "Total time of " + c.App + " on " + runflags.NodesText(c.Nodes),
		X:     figure.Axis{Label: cmp.Or(c.SizeFlag, "n") + " (size of the problem)", Log: c.numbers()},
		Y:     figure.Axis{Label: string(c.Clock) + " time", Log: true},
	}
	var sizes, times []float64
	for i, n := range c.Sizes {
		sizes = append(sizes, float64(n))
		chart.X.Ticks = append(chart.X.Ticks, figure.Tick{Value: float64(n), Label: c.sizeName(i)})
	}
	for i, v := range c.Versions {
		points := c.totals(v.Name)
		if len(points) == 0 {
			continue // the version has taken no time, which a logarithmic axis does not have
		}
		for _, p := range points {
			times = append(times, p.Y)
		}
		chart.Lines = append(chart.Lines, figure.Line{Key: figure.Key{Name: v.Name, Color: versionColor(i), Mark: figure.Dots}, Points: points})
	}
	fit(&chart.X, sizes)
	fit(&chart.Y, times)
	chart.Y.Ticks = figure.LogTimeTicks(chart.Y.Low, chart.Y.High)
	return chart
}

// totals returns the total times of a version in seconds, over the sizes, without those that are 0.
func (c *comparison) totals(version string) (points []figure.Point) {
	for _, n := range c.Sizes {
		for _, r := range c.OfSize(n) {
			if t := r.TimeNs[totalName].Median; r.Version == version && t > 0 {
				points = append(points, figure.Point{X: float64(n), Y: float64(base.Nanoseconds(t)) / float64(dimmnet.Second)})
			}
		}
	}
	return points
}

// fit makes an axis a little longer than its values need.
func fit(a *figure.Axis, values []float64) {
	const factor, distance = 1.25, 0.5
	if len(values) == 0 {
		values = []float64{1, 10}
	}
	a.Low, a.High = slices.Min(values)-distance, slices.Max(values)+distance
	if a.Log {
		a.Low, a.High = slices.Min(values)/factor, slices.Max(values)*factor
	}
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

const panelHeight = 300 // in points

// panelWidth returns the width of a panel of partsFigure, in points.
func (c *comparison) panelWidth() float64 { return 90 + 66*float64(len(c.Versions)) }

// partsFigure draws the parts: a panel per size, each with its own scale, with a bar per version.
func partsFigure(c *comparison) *figure.Figure {
	const widest = 1200
	width := c.panelWidth()
	columns := min(len(c.Sizes), max(1, int((widest-figure.LegendWidth)/width)))
	rows := (len(c.Sizes) + columns - 1) / columns
	f := figure.New(width*float64(columns)+figure.LegendWidth, panelHeight*float64(rows))
	for i, n := range c.Sizes {
		c.partsChart(n).Draw(f, width*float64(i%columns), panelHeight*float64(i/columns), width, panelHeight)
	}
	var keys []figure.Key
	for _, part := range slices.Backward(c.drawn()) { // in the order of the stacked bars
		if c.spends(part) {
			keys = append(keys, figure.Key{Name: part.String(), Color: figure.Color(part.Color())})
		}
	}
	f.Legend(keys...)
	return f
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

// partsChart returns a chart with a bar per version, for one size. The bar of a version that takes
// far longer than the others is broken: its parts have the right proportions, but a smaller scale.
func (c *comparison) partsChart(n int) *figure.Chart {
	results, drawn := c.OfSize(n), c.drawn()
	chart := &figure.Chart{Title: cmp.Or(c.Size(n), c.App)}
	chart.Y.Label = string(c.Clock) + " time (ms), mean of the ranks"
	if c.critical() {
		chart.Y.Label = string(c.Clock) + " time (ms), critical path"
	}
	if !slices.Contains(drawn, fagus.PartCompute) {
		chart.Y.Label += ", without compute"
	}
	longest := longestByFar(results, func(r *compared) int64 { return r.partsNs(drawn) })
	highest := 0.0 // of the others
	for _, r := range results {
		if longest == nil || r.Version != longest.Version {
			highest = max(highest, milliseconds(r.partsNs(drawn)))
		}
	}
	for _, r := range results {
		height, scale := milliseconds(r.partsNs(drawn)), 1.0
		bar := figure.Bar{Name: r.Version, Text: figure.Short(base.Nanoseconds(r.partsNs(drawn)))}
		if highest > 0 && height > brokenHeight*highest { // it is the longest by far
			bar.Broken, scale = true, brokenHeight*highest/height
		}
		for _, part := range drawn {
			bar.Parts = append(bar.Parts, figure.Part{Size: scale * milliseconds(r.TimeNs[part.String()].Median), Color: figure.Color(part.Color())})
		}
		chart.Bars = append(chart.Bars, bar)
		chart.Y.High = max(chart.Y.High, 1.12*scale*height) // room for the time above the bar
	}
	chart.Y.Ticks = figure.EvenTicks(0, chart.Y.High)
	return chart
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
func versionColor(i int) figure.Color {
	palette := [...]figure.Color{figure.Red, figure.Blue, figure.Green, figure.Purple, figure.Yellow, 0x555555}
	return palette[i%len(palette)]
}
