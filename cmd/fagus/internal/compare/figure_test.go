package compare

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestLongestByFar: a version is left out if it takes more than twice as long as every other.
func TestLongestByFar(t *testing.T) {
	for _, c := range []struct {
		totals []int64
		want   string
	}{
		{nil, ""},
		{[]int64{5}, ""},
		{[]int64{5, 10}, ""},
		{[]int64{5, 11}, "b"},
		{[]int64{11, 5, 4}, "a"},
		{[]int64{4, 5, 11}, "c"},
		{[]int64{4, 11, 11}, ""},
		{[]int64{0, 0}, ""},
	} {
		var results []compared
		for i, total := range c.totals {
			results = append(results, made{version: string(rune('a' + i)), total: total}.result())
		}
		got := ""
		if r := longestByFar(results, (*compared).totalNs); r != nil {
			got = r.Version
		}
		if got != c.want {
			t.Errorf("totals %d: %q is left out, want %q", c.totals, got, c.want)
		}
	}
}

// TestBrokenBar: the figures show a version that takes far longer than the others, with its time,
// and the page gives its timeline a scale of its own.
func TestBrokenBar(t *testing.T) {
	c := comparisonOf(made{version: "ours", n: 8, total: 3, compute: 3}, made{version: "base", n: 8, total: 70, compute: 40, acquire: 30})
	for name, draw := range map[string]func(*comparison) *figure.Figure{"total": totalFigure, "parts": partsFigure} {
		var b bytes.Buffer
		if err := draw(c).Write(&b); err != nil {
			t.Fatal(err)
		}
		if svg := b.String(); !strings.Contains(svg, ">base</text>") || name == "parts" && !strings.Contains(svg, ">70 ms</text>") {
			t.Errorf("%s: the figure does not show base, or not its 70 ms:\n%s", name, svg)
		}
	}
	if chart := c.partsChart(8); !chart.Bars[1].Broken || chart.Y.High > 2*brokenHeight*3 {
		t.Errorf("the axis reaches %.1f ms: the bar of base is not broken", chart.Y.High)
	}
	for _, drawn := range newPage(c, map[string][]fagus.Stats{"ours": nil, "base": nil}).Timelines {
		if drawn.Own != (drawn.Version == "base") {
			t.Errorf("%s: the timeline has its own scale: %v, want only for base", drawn.Version, drawn.Own)
		}
	}
}

// TestEmptyFigures: versions that take no time, and sizes that are no numbers, can be drawn.
func TestEmptyFigures(t *testing.T) {
	none := comparisonOf(made{version: "ours", n: 8}, made{version: "base", n: 8})
	classes := comparisonOf(made{version: "ours", n: 1, total: 3, compute: 3}, made{version: "ours", n: 2, total: 5, compute: 5})
	classes.SizeFlag, classes.SizeNames = "class", []string{"S", "W"}
	for name, c := range map[string]*comparison{"no time": none, "classes": classes} {
		for _, draw := range []func(*comparison) *figure.Figure{totalFigure, partsFigure} {
			var b bytes.Buffer
			if err := draw(c).Write(&b); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if svg := b.String(); name == "classes" && !strings.Contains(svg, "W</text>") || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("%s: the figure is wrong:\n%s", name, svg)
			}
		}
	}
}
