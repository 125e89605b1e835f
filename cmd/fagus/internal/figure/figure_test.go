package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

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

// element is an element of an SVG picture, with its text.
type element struct {
	name, text string
	attributes map[string]string
}

// elements returns the elements of a figure. It fails unless the figure is XML with finite numbers.
func elements(t *testing.T, f *Figure) (all []element) {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	svg := b.String()
	for _, wrong := range []string{"NaN", "Inf", "%!"} {
		if strings.Contains(svg, wrong) {
			t.Errorf("the figure contains %s:\n%s", wrong, svg)
		}
	}
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attributes: make(map[string]string)}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			all = append(all, e)
		case xml.CharData:
			if len(all) > 0 {
				all[len(all)-1].text += strings.TrimSpace(string(token))
			}
		}
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v:\n%s", err, svg)
		}
	}
}

// texts returns the texts of elements in their order.
func texts(all []element) (list []string) {
	for _, e := range all {
		if e.name == "text" {
			list = append(list, e.text)
		}
	}
	return list
}

// TestLines: curves have their points where the axes have their ticks.
func TestLines(t *testing.T) {
	c := Chart{
		Title: "1 < 2 & 3",
		X:     Axis{Label: "size", Low: 1, High: 100, Log: true, Ticks: []Tick{{1, "one"}, {10, "ten"}}},
		Y:     Axis{Label: "time", High: 4, Ticks: Ticks(2, 4)},
		Lines: []Line{{Key{"a", Red, Dots}, []Point{{1, 0}, {10, 2}, {100, 4}}}, {Key{"b", Blue, Stroke}, []Point{{1, 4}, {100, 4}}}},
	}
	all := elements(t, c.Figure(400, 200, c.Keys()...))
	want := []string{"1 < 2 & 3", "size", "time", "0", "2", "4", "one", "ten", "a", "b"}
	if got := texts(all); !slices.Equal(got, want) {
		t.Errorf("texts %q, want %q", got, want)
	}
	// The rectangle of the axes is x from 64 to 254, y from 28 to 156.
	for _, want := range []string{"64,156 159,92 254,28", "64,28 254,28"} {
		if !slices.ContainsFunc(all, func(e element) bool { return e.name == "polyline" && e.attributes["points"] == want }) {
			t.Errorf("no curve through %s:\n%v", want, all)
		}
	}
	dots := 0
	for _, e := range all {
		if e.name == "circle" {
			dots++
		}
	}
	if dots != 3+1 { // and one in the legend
		t.Errorf("%d dots, want 4", dots)
	}
}

// TestBars: parts stand on each other, and a broken bar has a gap.
func TestBars(t *testing.T) {
	c := Chart{
		Y:    Axis{High: 10, Ticks: EvenTicks(0, 10)},
		Bars: []Bar{{Name: "two words", Text: "5 ms", Parts: []Part{{3, Green}, {0, Yellow}, {2, Blue}}}, {Name: "long", Text: "70 ms", Parts: []Part{{10, Red}}, Broken: true}},
	}
	all := elements(t, c.Figure(280, 172))
	// The axis Y has 100 points for its 10. Each bar has two thirds of 100 points.
	for _, want := range []element{
		{attributes: map[string]string{"fill": "#4c9f70", "x": "80.667", "y": "98", "height": "30"}},
		{attributes: map[string]string{"fill": "#2f6db5", "x": "80.667", "y": "78", "height": "20"}},
		{attributes: map[string]string{"fill": "#d05a3c", "x": "180.67", "y": "28", "height": "100"}},
	} {
		if !slices.ContainsFunc(all, func(e element) bool {
			for name, value := range want.attributes {
				if e.attributes[name] != value {
					return false
				}
			}
			return e.name == "rect"
		}) {
			t.Errorf("no part %v:\n%v", want.attributes, all)
		}
	}
	if n := len(slices.DeleteFunc(slices.Clone(all), func(e element) bool { return e.name != "polygon" })); n != 1 {
		t.Errorf("%d gaps, want 1", n)
	}
	if got := strings.Join(texts(all), " "); !strings.Contains(got, "5 ms two words 70 ms long") {
		t.Errorf("texts %s", got)
	}
}

// TestNothing: a chart of nothing can be drawn.
func TestNothing(t *testing.T) {
	c := Chart{Bars: []Bar{{Name: "none", Parts: []Part{{0, Red}}}}}
	elements(t, c.Figure(200, 100))
	elements(t, (&Chart{}).Figure(200, 100))
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		axis        Axis
		value, want float64
	}{
		{Axis{Low: 2, High: 6}, 3, 0.25},
		{Axis{Low: 1, High: 1000, Log: true}, 100, 2. / 3},
		{Axis{Low: 5, High: 5}, 5, 0},
		{Axis{}, 0, 0},
	} {
		if got := c.axis.share(c.value); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v at %v: %v, want %v", c.value, c.axis, got, c.want)
		}
	}
}

func TestColor(t *testing.T) {
	if got := color.NRGBAModel.Convert(Blue); got != (color.NRGBA{R: 0x2f, G: 0x6d, B: 0xb5, A: 0xff}) {
		t.Errorf("%v, want the colour %v", got, Blue)
	}
	if got := Color(0x0a).String(); got != "#00000a" {
		t.Errorf("%s, want #00000a", got)
	}
}

func TestCheckName(t *testing.T) {
	for path, want := range map[string]bool{"a.svg": true, "b/A.SVG": true, "a.png": false, "svg": false} {
		if got := CheckName(path); (got == nil) != want {
			t.Errorf("%s: %v", path, got)
		}
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
