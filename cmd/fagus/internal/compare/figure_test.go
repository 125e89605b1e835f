package compare

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/figure"
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
		if r := longestByFar(results); r != nil {
			got = r.Version
		}
		if got != c.want {
			t.Errorf("totals %d: %q is left out, want %q", c.totals, got, c.want)
		}
	}
}

// TestLeftOutIsNamed: the figures name a version that they leave out, with its total, and the page
// gives this version's timeline its own scale.
func TestLeftOutIsNamed(t *testing.T) {
	c := comparisonOf(made{version: "ours", n: 8, total: 3, compute: 3}, made{version: "base", n: 8, total: 7, compute: 7})
	for name, draw := range map[string]func(*comparison) (*figure.Figure, error){"total": totalFigure, "parts": partsFigure} {
		f, err := draw(c)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.Write(&b, "svg"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "without base: 7.000 ms") || strings.Count(b.String(), "base") != 1 {
			t.Errorf("%s: base is named %d times, want it in the title alone", name, strings.Count(b.String(), "base"))
		}
	}
	for _, drawn := range newPage(c, []trace{{version: "ours"}, {version: "base"}}).Timelines {
		if drawn.Own != (drawn.Version == "base") {
			t.Errorf("%s: the timeline has its own scale: %v, want only for base", drawn.Version, drawn.Own)
		}
	}
}
