package mandelbrot

import (
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	// Width and Height are the size of the picture in points.
	Width, Height int
	// X and Y are the centre of the picture, and Span is its width.
	X, Y, Span float64
	// Limit is the largest number of steps of a point.
	Limit int
	// Batch is the number of rows that a rank takes at a time.
	Batch int
	// Static deals the batches to the ranks in turn, without a queue.
	Static bool
	// Rows is the number of rows that rank 0 verifies, and Seed chooses them.
	Rows int
	Seed uint64
	// Progress counts rows at every rank. Spoil makes a point of every row wrong.
	verify.Options
}

// Result is the outcome at one rank.
type Result struct {
	// Wrong is the number of wrong points in the verified rows, and Inside the number of points
	// of the picture that never escaped. Only rank 0 has them.
	Wrong, Inside int
	// Picture has the steps of all points, row by row. Only rank 0 has it.
	Picture []uint16
	// Time is the duration of this rank's part, from the barrier before it.
	Time fagus.Time
}

const (
	maxPoints  = 1 << 28
	maxLimit   = math.MaxUint16
	maxBatches = 1 << 16
	minSpan    = 1e-13 // in a narrower picture rounding dominates
	stepTime   = 15 * fagus.Nanosecond
)

// Validate reports an error if the program cannot run with c.
func (c *Config) Validate() error {
	switch {
	case c.Width < 1 || c.Height < 1 || c.Width > maxPoints/c.Height:
		return fmt.Errorf("mandelbrot: %d x %d points: want at least 1 x 1, and at most %d in all", c.Width, c.Height, maxPoints)
	case !(math.Abs(c.X) <= 4 && math.Abs(c.Y) <= 4): // written so that NaN fails
		return fmt.Errorf("mandelbrot: centre %g, %g: want coordinates from -4 to 4", c.X, c.Y)
	case !(c.Span >= minSpan && c.Span <= 8):
		return fmt.Errorf("mandelbrot: span %g: want %g to 8", c.Span, minSpan)
	case c.Limit < 1 || c.Limit > maxLimit:
		return fmt.Errorf("mandelbrot: limit of %d steps: want 1 to %d", c.Limit, maxLimit)
	case c.Batch < 1 || (c.Height-1)/c.Batch >= maxBatches:
		return fmt.Errorf("mandelbrot: %d rows in batches of %d: want at least 1 a batch, and at most %d batches", c.Height, c.Batch, maxBatches)
	case c.Rows < 1:
		return fmt.Errorf("mandelbrot: %d rows to verify: want at least 1", c.Rows)
	}
	return nil
}

type canvas struct {
	Config
	node    *fagus.Node
	queue   *parts.Queue
	picture *fagus.Array[uint16]
	guards  []*fagus.SyncVar // by batch
}

// Run computes the picture. Every rank calls it with the same Config.
func Run(n *fagus.Node, cfg Config) (Result, error) {
	if err := cfg.Validate(); err != nil {
		return Result{}, err
	}
	cfg.Batch = min(cfg.Batch, cfg.Height)
	c := canvas{Config: cfg, node: n}
	if err := c.declare(); err != nil {
		return Result{}, err
	}
	n.Resume()
	draw := c.takeTurns
	if c.Static {
		draw = func() error { return c.queue.DealInRounds(c.share) }
	}
	took, err := parts.Timed(n, draw)
	if err != nil {
		return Result{}, err
	}
	r := Result{Time: took}
	if err := n.Barrier(); err != nil { // all rows are written
		return Result{}, err
	}
	if n.Rank() == 0 {
		err = c.finish(&r)
	}
	return r, err
}

func (c *canvas) declare() (err error) {
	if c.picture, err = fagus.NewArray[uint16](c.node, "picture", c.Width*c.Height); err != nil {
		return err
	}
	if c.queue, err = parts.NewQueue(c.node, "queue", c.Height, c.Batch); err != nil {
		return err
	}
	c.guards = make([]*fagus.SyncVar, c.queue.Batches())
	for b := range c.guards {
		lo, hi := c.rows(b)
		if c.guards[b], err = c.node.Bind(fmt.Sprintf("rows.%d", b), c.points(lo, hi)); err != nil {
			return err
		}
	}
	return nil
}

func (c *canvas) rows(b int) (lo, hi int)       { return c.queue.Batch(b) }
func (c *canvas) points(lo, hi int) fagus.Range { return c.picture.Range(lo*c.Width, hi*c.Width) }

// want requests the rows of batch b exclusively, and declares that they are overwritten.
func (c *canvas) want(b int) fagus.Request {
	return c.guards[b].Write().Writing(c.points(c.rows(b)))
}

func (c *canvas) takeTurns() error {
	drawn := make([]uint16, c.Height*c.Width)
	part := func(of []uint16, b int) []uint16 {
		lo, hi := c.rows(b)
		return of[lo*c.Width : hi*c.Width]
	}
	return c.queue.EachInRounds(func(b int) error {
		lo, hi := c.rows(b)
		return c.draw(part(drawn, b), lo, hi)
	}, parts.Results{
		Want:  c.want,
		Store: func(b int) { copy(part(c.picture.Slice(), b), part(drawn, b)) },
	})
}

func (c *canvas) share(batches []int) error {
	var wants []fagus.Request
	for _, b := range batches {
		wants = append(wants, c.want(b))
	}
	return c.node.During(c.node.Set(wants...), func() error {
		for i, b := range batches {
			c.node.DefaultProgress(i, len(batches))
			lo, hi := c.rows(b)
			if err := c.draw(c.picture.Slice()[lo*c.Width:hi*c.Width], lo, hi); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *canvas) draw(to []uint16, lo, hi int) error {
	for row := lo; row < hi; row++ {
		if err := c.node.Err(); err != nil {
			return err
		}
		c.node.Spend(fagus.Time(c.drawRow(to[(row-lo)*c.Width:][:c.Width], row)) * stepTime)
		c.Advance(1)
	}
	return nil
}

func (c *canvas) finish(r *Result) error {
	return c.node.During(verify.Everything(c.node, c.guards), func() error {
		r.Picture = slices.Clone(c.picture.Slice())
		return c.verify(r, c.node.Err)
	})
}
