package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestLongestByFar leaves out what takes more than twice as long as all others.
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
		if r := longestByFar(results); r != nil {
			got = r.Version
		}
		if got != c.want {
			t.Errorf("totals %d: %q is left out, want %q", c.totals, got, c.want)
		}
	}
}

// TestLeftOutIsSaid looks for the name and total in the figures, and for the scale on
// the page.
func TestLeftOutIsSaid(t *testing.T) {
	c := comparisonOf(made{version: "ours", n: 8, total: 3, compute: 3}, made{version: "base", n: 8, total: 7, compute: 7})
	for name, draw := range map[string]func(*comparison) (*figure, error){"total": totalFigure, "parts": partsFigure} {
		f, err := draw(c)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.write(&b, "svg"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "without base: 7.000 ms") || strings.Count(b.String(), "base") != 1 {
			t.Errorf("%s: base is named %d times, want it in the title alone", name, strings.Count(b.String(), "base"))
		}
	}
	for _, drawn := range newPage(c, []timeline{{version: "ours"}, {version: "base"}}).Timelines {
		if drawn.Own != (drawn.Version == "base") {
			t.Errorf("%s: a scale of its own: %v", drawn.Version, drawn.Own)
		}
	}
}

func TestEvenTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 108, "0 20 40 60 80 100"},
		{0, 0.7, "0.0 0.2 0.4 0.6"},
		{0, 26, "0 5 10 15 20 25"},
		{0, 0.012, "0.000 0.002 0.004 0.006 0.008 0.010 0.012"},
		{0, 3e6, "0 500000 1000000 1500000 2000000 2500000 3000000"},
		{0, 0, "0"},
	} {
		var labels []string
		for _, tick := range evenTicks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
