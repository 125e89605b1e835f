package mandelbrot

import (
	"fmt"
	"math"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Config describes a run.
type Config struct {
	// Width and Height are the picture's, in points.
	Width, Height int
	// X and Y are the middle of the picture, and Span is how wide it is.
	X, Y, Span float64
	// Limit is the most steps of a point.
	Limit int
	// Batch is how many rows a rank takes at a time.
	Batch int
	// Static shares out the batches in turn, without a queue.
	Static bool
	// Rows is how many rows rank 0 verifies, and Seed decides which.
	Rows int
	Seed uint64
	// Progress, if not nil, is called at every rank with the number of rows that it has just
	// finished.
	Progress func(rows int)
	// Spoil makes a point of every row wrong: for those who want to see that it is found.
	Spoil bool
}

// Result is what a rank has in the end.
type Result struct {
	// Wrong is how many points of the verified rows are not what they should be, and Inside how many
	// of the picture never left. Only rank 0 knows.
	Wrong, Inside int
	// Picture are the steps of all points, row by row; only rank 0 has it.
	Picture []uint16
	// Time is what this rank's part took, from a barrier before it.
	Time fagus.Time
}

// The most of everything.
const (
	maxPoints  = 1 << 28
	maxLimit   = math.MaxUint16
	maxBatches = 1 << 16
	minSpan    = 1e-13 // smaller ones are a matter of rounding
	stepTime   = 15 * fagus.Nanosecond
)

// Validate reports what cannot be run.
func (c *Config) Validate() error {
	switch {
	case c.Width < 1 || c.Height < 1 || c.Width > maxPoints/c.Height:
		return fmt.Errorf("mandelbrot: %d x %d points: want at least 1 x 1, and up to %d in all", c.Width, c.Height, maxPoints)
	case !(math.Abs(c.X) <= 4 && math.Abs(c.Y) <= 4): // this way round for NaN
		return fmt.Errorf("mandelbrot: middle %g, %g: want -4 to 4", c.X, c.Y)
	case !(c.Span >= minSpan && c.Span <= 8):
		return fmt.Errorf("mandelbrot: %g wide: want %g to 8", c.Span, minSpan)
	case c.Limit < 1 || c.Limit > maxLimit:
		return fmt.Errorf("mandelbrot: up to %d steps: want 1 to %d", c.Limit, maxLimit)
	case c.Batch < 1 || (c.Height-1)/c.Batch >= maxBatches:
		return fmt.Errorf("mandelbrot: %d rows, %d at a time: want at least 1, and no more than %d batches", c.Height, c.Batch, maxBatches)
	case c.Rows < 1:
		return fmt.Errorf("mandelbrot: %d rows to verify: want at least 1", c.Rows)
	}
	return nil
}

// canvas is the program's data.
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
	draw := c.takeTurns
	if c.Static {
		draw = c.share
	}
	took, err := parts.Timed(n, draw)
	if err != nil {
		return Result{}, err
	}
	r := Result{Time: took}
	if err := n.Barrier(); err != nil { // all rows are there
		return Result{}, err
	}
	if n.Rank() == 0 {
		err = c.finish(&r)
	}
	return r, err
}

// declare makes the arrays and binds the variables, the same at every rank.
func (c *canvas) declare() (err error) {
	if c.picture, err = fagus.NewArray[uint16](c.node, "picture", c.Width*c.Height); err != nil {
		return err
	}
	c.guards = make([]*fagus.SyncVar, (c.Height+c.Batch-1)/c.Batch)
	for b := range c.guards {
		lo, hi := c.rows(b)
		if c.guards[b], err = c.node.Bind(fmt.Sprintf("rows.%d", b), c.points(lo, hi)); err != nil {
			return err
		}
	}
	c.queue, err = parts.NewQueue(c.node, "queue", c.Height, c.Batch)
	return err
}

// rows are those of a batch, lo up to but not including hi.
func (c *canvas) rows(b int) (lo, hi int) { return b * c.Batch, min((b+1)*c.Batch, c.Height) }

// points are those of rows lo up to but not including hi.
func (c *canvas) points(lo, hi int) fagus.Range { return c.picture.Range(lo*c.Width, hi*c.Width) }

// want asks for the batch that begins with row lo, of which all points will be written.
func (c *canvas) want(lo, hi int) fagus.Request {
	return fagus.Want(c.guards[lo/c.Batch], fagus.Exclusive).Writing(c.points(lo, hi))
}

// takeTurns takes batches from the queue until it is empty.
func (c *canvas) takeTurns() error {
	drawn := make([]uint16, c.Batch*c.Width)
	var wants []fagus.Request
	done, end := 0, 0
	for {
		lo, hi, err := c.queue.Next(func() { copy(c.picture.Slice()[done*c.Width:end*c.Width], drawn) }, wants...)
		if err != nil || lo == hi {
			return err
		}
		if err := c.draw(drawn, lo, hi); err != nil {
			return err
		}
		done, end, wants = lo, hi, []fagus.Request{c.want(lo, hi)}
	}
}

// share draws every batch that falls to this rank.
func (c *canvas) share() error {
	batches := parts.Cyclic(len(c.guards), c.node.Nodes(), c.node.Rank())
	var wants []fagus.Request
	for _, b := range batches {
		wants = append(wants, c.want(c.rows(b)))
	}
	return c.node.During(c.node.Set(wants...), func() error {
		for _, b := range batches {
			lo, hi := c.rows(b)
			if err := c.draw(c.picture.Slice()[lo*c.Width:hi*c.Width], lo, hi); err != nil {
				return err
			}
		}
		return nil
	})
}

// draw computes rows lo up to but not including hi.
func (c *canvas) draw(to []uint16, lo, hi int) error {
	for row := lo; row < hi; row++ {
		if err := c.node.Err(); err != nil {
			return err
		}
		c.node.Spend(fagus.Time(c.drawRow(to[(row-lo)*c.Width:][:c.Width], row)) * stepTime)
		if c.Progress != nil {
			c.Progress(1)
		}
	}
	return nil
}

// finish acquires the picture and verifies some rows.
func (c *canvas) finish(r *Result) error {
	var wants []fagus.Request
	for _, v := range c.guards {
		wants = append(wants, fagus.Want(v, fagus.Shared))
	}
	return c.node.During(c.node.Set(wants...), func() error {
		r.Picture = slices.Clone(c.picture.Slice())
		return c.verify(r, c.node.Err)
	})
}
