package bench

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// Op is an operation to measure.
type Op string

// The operations. The package comment describes each.
const (
	Barrier    Op = "barrier"
	Meet       Op = "meet"
	Sum        Op = "sum"
	HandOver   Op = "hand-over"
	Stream     Op = "stream"
	StreamRead Op = "stream-read"
	Matmul     Op = "matmul"
	Product    Op = "product"
)

// Config describes a measurement.
type Config struct {
	Op Op
	// Bytes is the size of the data that HandOver and the Streams move, a multiple of 8. For Meet
	// it is the number of steps that a rank computes: 4 or 5 cycles each.
	Bytes int
	// N is the order of the float64 matrices of Matmul and Product.
	N int
	// Samples is the number of timed batches.
	Samples int
	// Batch is the approximate duration of a batch.
	Batch fagus.Time
}

const (
	maxBytes = 1 << 32
	maxN     = 1 << 14
)

// Validate returns an error if Run cannot measure with c.
func (c *Config) Validate() error {
	if err := c.validOp(); err != nil {
		return err
	}
	if c.Samples < 1 || c.Batch <= 0 {
		return fmt.Errorf("bench: %d samples of %v: want at least one sample of more than 0 s", c.Samples, c.Batch)
	}
	return nil
}

func (c *Config) validOp() error {
	switch c.Op {
	case Barrier, Sum:
	case Meet:
		if c.Bytes < 0 {
			return fmt.Errorf("bench: %d steps: want 0 or more", c.Bytes)
		}
	case HandOver, Stream, StreamRead:
		if c.Bytes < 8 || c.Bytes%8 != 0 || c.Bytes > maxBytes {
			return fmt.Errorf("bench: %d bytes: want a multiple of 8, at most %d", c.Bytes, maxBytes)
		}
	case Matmul, Product:
		if c.N < 1 || c.N > maxN {
			return fmt.Errorf("bench: matrices of order %d: want 1 to %d", c.N, maxN)
		}
	default:
		return fmt.Errorf("bench: operation %q: want one of %q", c.Op, []Op{Barrier, Meet, Sum, HandOver, Stream, StreamRead, Matmul, Product})
	}
	return nil
}

// Run measures an operation; all ranks call it. At rank 0 it returns the time of one operation in
// each sample, in ascending order. Other ranks get nil.
func Run(n *fagus.Node, cfg Config) (samples []fagus.Time, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m, err := NewMeter(n, cfg)
	if err != nil {
		return nil, err
	}
	c, err := newCalibration(m)
	if err != nil {
		return nil, err
	}
	count, err := c.calibrate(cfg.Batch)
	if err != nil {
		return nil, err
	}
	for range cfg.Samples {
		took, err := m.Batch(count)
		if err != nil {
			return nil, err
		}
		samples = append(samples, took/fagus.Time(count))
	}
	if n.Rank() != 0 {
		return nil, nil
	}
	slices.Sort(samples)
	return samples, nil
}

// calibration lets ranks agree on the size of a batch.
type calibration struct {
	*Meter
	next    *fagus.Array[int64] // the size of the next batch, chosen by rank 0
	control *fagus.SyncVar
}

func newCalibration(m *Meter) (*calibration, error) {
	next, err := fagus.NewArray[int64](m.n, m.name+": batch", 1)
	if err != nil {
		return nil, err
	}
	control, err := m.n.Bind(m.name+": batch", next.All())
	return &calibration{m, next, control}, err
}

// calibrate returns the number of operations that take about the time batch. Rank 0 decides.
func (c *calibration) calibrate(batch fagus.Time) (int, error) {
	for count := 1; ; {
		took, err := c.Batch(count)
		if err != nil {
			return 0, err
		}
		agreed, err := c.agree(int64(Larger(count, took, batch)))
		if err != nil || int(agreed) == count {
			return count, err
		}
		count = int(agreed)
	}
}

// Larger returns the number of operations in the next batch, after a batch of count operations
// took the time took: count if took is about the time wanted, and at most 10 times count.
func Larger(count int, took, wanted fagus.Time) int {
	const most = 1 << 30
	if took <= 0 || took >= wanted/2 { // took is 0 with a single rank on a simulated network
		return count
	}
	return min(most, count*max(2, min(10, int(wanted/took))))
}

// agree returns rank 0's want at every rank.
func (c *calibration) agree(want int64) (int64, error) {
	if c.n.Rank() == 0 {
		if err := during(c.n, c.n.Set(fagus.Want(c.control, fagus.Exclusive)), func() { c.next.Slice()[0] = want }); err != nil {
			return 0, err
		}
	}
	if err := c.n.Barrier(); err != nil {
		return 0, err
	}
	err := during(c.n, c.n.Set(fagus.Want(c.control, fagus.Shared)), func() { want = c.next.Slice()[0] })
	return want, err
}

func during(n *fagus.Node, set *fagus.SyncSet, f func()) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	f()
	return n.Release(set)
}
