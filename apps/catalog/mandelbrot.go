package catalog

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/mandelbrot"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func mandelbrotProgram() Program {
	return Program{Name: "mandelbrot", About: "a picture of the Mandelbrot set, rows from a queue", VerifiedBy: "random rows by the plain loop",
		Examples: `
fagus run mandelbrot --out set.png --mode threaded  an idle rank takes the next rows
fagus run mandelbrot --static                       rows are dealt out beforehand: for phases
fagus run mandelbrot --x -0.7436 --y 0.1318 --span 0.004 --limit 5000 --width 1920 --height 1080 --net shm --mode threaded --out valley.png`,
		Flags: under("the picture",
			&cli.IntFlag{Name: "width", Value: 320, Usage: "`POINTS` of a row"},
			&cli.IntFlag{Name: "height", Value: 200, Usage: "`ROWS`"},
			&cli.Float64Flag{Name: "x", Value: -0.6, Usage: "`X` of the middle"},
			&cli.Float64Flag{Name: "y", Usage: "`Y` of the middle"},
			&cli.Float64Flag{Name: "span", Value: 3.6, Usage: "the picture is `X` wide"},
			&cli.IntFlag{Name: "limit", Value: 1000, Usage: "a point that has not left after `N` steps is inside"},
			&cli.IntFlag{Name: "batch", Value: 1, Usage: "a rank takes `N` rows at a time"},
			&cli.BoolFlag{Name: "static", Usage: "deal out the rows cyclically, without a queue"},
			&cli.IntFlag{Name: "verify", Value: 8, Usage: "verify `N` rows, which --seed selects"},
			spoilFlag(),
			outFlag("the picture", ".png"),
		),
		CheckOut: func(path string) error {
			if strings.ToLower(filepath.Ext(path)) != ".png" {
				return fmt.Errorf("%s: want a name that ends in .png", path)
			}
			return nil
		},
		Prepare: prepareMandelbrot,
	}
}

func prepareMandelbrot(f Flags) (*Job, error) {
	cfg := mandelbrot.Config{
		Width: f.Int("width"), Height: f.Int("height"), X: f.Float64("x"), Y: f.Float64("y"), Span: f.Float64("span"), Limit: f.Int("limit"),
		Batch: f.Int("batch"), Static: f.Bool("static"), Rows: f.Int("verify"), Seed: f.Seed, Options: f.options(),
	}
	if err := cfg.Validate(); err != nil {
		return nil, usage.Wrap(err)
	}
	var picture []uint16
	j := jobOf(code[mandelbrot.Config, mandelbrot.Result]{
		config: cfg, progress: func(c *mandelbrot.Config) *func(int) { return &c.Progress }, plain: infallible(mandelbrot.Plain),
		run: func(n *fagus.Node, cfg mandelbrot.Config) (mandelbrot.Result, error) {
			r, err := mandelbrot.Run(n, cfg)
			if n.Rank() != 0 {
				r.Picture = nil
			}
			return r, err
		},
		outcome: func(r mandelbrot.Result) Outcome {
			if r.Picture != nil {
				picture = r.Picture
			}
			return Outcome{
				Took: r.Time, Verification: Verification{Name: "wrong-points/plain-loop", Value: float64(r.Wrong)},
				Text: fmt.Sprintf("%d points of %d are inside; %d rows verified", r.Inside, len(r.Picture), min(cfg.Rows, cfg.Height)),
			}
		},
	}, &Job{
		App: "mandelbrot", N: cfg.Width, Measured: "rows, of the slowest rank", Unit: "rows", Units: cfg.Height,
		Size: fmt.Sprintf("%d x %d points of up to %d steps, %g wide around %g, %g", cfg.Width, cfg.Height, cfg.Limit, cfg.Span, cfg.X, cfg.Y),
	})
	if out := f.String("out"); out != "" {
		j.Write = func() error {
			return outfile.Replace(out, func(w io.Writer) error { return mandelbrot.EncodePNG(w, picture, cfg.Width, cfg.Limit) })
		}
	}
	return j, nil
}
