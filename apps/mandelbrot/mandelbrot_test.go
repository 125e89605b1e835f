package mandelbrot_test

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/mandelbrot"
	"github.com/fagus-dsm/fagus/fagus"
)

func config() mandelbrot.Config {
	return mandelbrot.Config{Width: 31, Height: 23, X: -0.5, Span: 3, Limit: 200, Batch: 3, Rows: 23}
}

// TestEverywhere checks that all rows are correct, and equal to the rows without Fagus.
func TestEverywhere(t *testing.T) {
	want := mandelbrot.Plain(config(), apptest.Timer)
	if want.Wrong != 0 || want.Inside == 0 {
		t.Fatalf("without Fagus %d points are wrong and %d inside: want none wrong, and some inside", want.Wrong, want.Inside)
	}
	apptest.Everywhere(t, func(on fagus.Config) {
		for _, static := range []bool{false, true} {
			cfg := config()
			cfg.Static = static
			if r := apptest.First(t, mandelbrot.Run, on, cfg); r.Wrong != 0 || r.Inside != want.Inside || !slices.Equal(r.Picture, want.Picture) {
				t.Errorf("%d nodes, %v mode, static %v: %d points of %d are wrong", on.Nodes, on.Mode, static, r.Wrong, len(r.Picture))
			}
		}
	})
}

// TestKnown checks three points: -2 and 0 never escape, and 2 is at the limit after one step and
// beyond it after two.
func TestKnown(t *testing.T) {
	// -2, 0 and 2
	cfg := mandelbrot.Config{Width: 3, Height: 1, Span: 6, Limit: 50, Batch: 1, Rows: 1}
	if r := apptest.First(t, mandelbrot.Run, fagus.Config{Nodes: 2}, cfg); !slices.Equal(r.Picture, []uint16{50, 50, 2}) || r.Inside != 2 {
		t.Errorf("points -2, 0 and 2 take %d steps, %d are inside: want 50, 50 and 2, and 2 inside", r.Picture, r.Inside)
	}
}

// TestSpoiled checks that verification finds one wrong point per row.
func TestSpoiled(t *testing.T) {
	cfg := config()
	cfg.Spoil, cfg.Rows = true, 4
	if r := apptest.First(t, mandelbrot.Run, fagus.Config{Nodes: 3}, cfg); r.Wrong != 4 {
		t.Errorf("%d points are wrong, want 4", r.Wrong)
	}
	if r := mandelbrot.Plain(cfg, apptest.Timer); r.Wrong != 4 {
		t.Errorf("without Fagus %d points are wrong, want 4", r.Wrong)
	}
}

// TestPNG checks the size of the picture, and that points inside are black.
func TestPNG(t *testing.T) {
	var file bytes.Buffer
	if err := mandelbrot.EncodePNG(&file, []uint16{50, 50, 2, 49, 0, 50}, 3, 50); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	black := color.RGBA{A: 255}
	if b := picture.Bounds(); b.Dx() != 3 || b.Dy() != 2 || picture.At(1, 0) != black || picture.At(2, 1) != black || picture.At(1, 1) == black {
		t.Errorf("bounds %v, colours %v %v %v: want 3 x 2 points, of which only those inside are black", b, picture.At(1, 0), picture.At(2, 1), picture.At(1, 1))
	}
}

// TestMistakes checks that invalid configurations are rejected.
func TestMistakes(t *testing.T) {
	for what, change := range map[string]func(*mandelbrot.Config){
		"no point":       func(c *mandelbrot.Config) { c.Width = 0 },
		"too many":       func(c *mandelbrot.Config) { c.Width = math.MaxInt },
		"no middle":      func(c *mandelbrot.Config) { c.X = math.NaN() },
		"no width":       func(c *mandelbrot.Config) { c.Span = 0 },
		"no step":        func(c *mandelbrot.Config) { c.Limit = 0 },
		"too many steps": func(c *mandelbrot.Config) { c.Limit = 1 << 16 },
		"no batch":       func(c *mandelbrot.Config) { c.Batch = 0 },
		"no verified":    func(c *mandelbrot.Config) { c.Rows = 0 },
	} {
		bad := config()
		change(&bad)
		if bad.Validate() == nil {
			t.Errorf("%s: Validate returns no error", what)
		}
	}
}
