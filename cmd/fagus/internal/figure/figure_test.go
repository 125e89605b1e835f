package figure

import (
	"bytes"
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fagus-dsm/fagus/dimmnet"
)

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
		for _, tick := range EvenTicks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

// TestPortableText: an SVG file names fonts that every system has, and states the length of every
// text, so that no text of another font is wider.
func TestPortableText(t *testing.T) {
	texts := []string{"a label", "1 < 2 & 3", "a longer label"}
	f := Figure{Width: 100, Height: 50, Paint: func(c draw.Canvas) {
		for _, text := range texts {
			c.FillText(draw.TextStyle{Color: color.Black, Font: Font(10), Handler: NewPlot().Title.TextStyle.Handler}, vg.Point{}, text)
		}
	}}
	var b bytes.Buffer
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"); n != len(texts) {
		t.Errorf("%d texts name fonts of the same widths, want %d:\n%s", n, len(texts), &b)
	}
	var lengths []float64
	for _, m := range regexp.MustCompile(`textLength="([0-9.]+)"`).FindAllStringSubmatch(b.String(), -1) {
		length, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		lengths = append(lengths, length)
	}
	// A character is about half as wide as the size of the font.
	if len(lengths) != 3 || lengths[0] < 25 || lengths[0] > 45 || lengths[1] < 35 || lengths[1] > 55 || lengths[2] <= lengths[1] {
		t.Errorf("the lengths of %q are %v", texts, lengths)
	}
}

func TestLogTimeTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0.015, 1.3, "20 ms 50 ms 100 ms 200 ms 500 ms 1 s"},
		{1e-6, 0.1, "1 µs 10 µs 100 µs 1 ms 10 ms 100 ms"},
	} {
		var labels []string
		for _, tick := range LogTimeTicks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

func TestShort(t *testing.T) {
	for ns, want := range map[int64]string{0: "0 ns", 1: "1 ns", 1500: "1.5 µs", 999_600: "1 ms", 998_648_000: "999 ms", 12_345_000_000: "12.3 s", 250_000_000_000: "250 s"} {
		if got := Short(dimmnet.Time(ns) * dimmnet.Nanosecond); got != want {
			t.Errorf("%d ns: %s, want %s", ns, got, want)
		}
	}
}
