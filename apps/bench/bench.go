package bench

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
)

// Op is what is measured.
type Op string

// The operations.
const (
	Barrier  Op = "barrier"
	HandOver Op = "hand-over"
)

// Config is one measurement.
type Config struct {
	Op Op
	// Bytes that are handed over, a multiple of 8.
	Bytes int
	// Samples is how many batches are timed.
	Samples int
	// Batch is how long one takes, about.
	Batch fagus.Time
}

const maxBytes = 1 << 32

// Validate reports what cannot be measured.
func (c *Config) Validate() error {
	switch {
	case c.Op != Barrier && c.Op != HandOver:
		return fmt.Errorf("bench: operation %q: want %q or %q", c.Op, Barrier, HandOver)
	case c.Op == HandOver && (c.Bytes < 8 || c.Bytes%8 != 0 || c.Bytes > maxBytes):
		return fmt.Errorf("bench: %d bytes: want a multiple of 8 up to %d", c.Bytes, maxBytes)
	case c.Samples < 1 || c.Batch <= 0:
		return fmt.Errorf("bench: %d samples of %v: want at least one, of some time", c.Samples, c.Batch)
	}
	return nil
}

// Run measures, and returns at rank 0 the time of one operation in every sample, from the
// shortest to the longest, in picoseconds; other ranks get none.
func Run(n *fagus.Node, cfg Config) (samples []fagus.Time, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	b, err := newBench(n, cfg)
	if err != nil {
		return nil, err
	}
	count, err := b.calibrate(cfg.Batch)
	if err != nil {
		return nil, err
	}
	for range cfg.Samples {
		took, err := b.batch(count)
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

// bench is a measurement at one rank.
type bench struct {
	n       *fagus.Node
	op      func() error
	next    *fagus.Array[int64] // how large rank 0 wants the next batch
	control *fagus.SyncVar
}

func newBench(n *fagus.Node, cfg Config) (*bench, error) {
	b := &bench{n: n}
	var err error
	name := fmt.Sprintf("%s of %d bytes", cfg.Op, cfg.Bytes)
	if b.next, err = fagus.NewArray[int64](n, name+": batch", 1); err != nil {
		return nil, err
	}
	if b.control, err = n.Bind(name+": batch", b.next.All()); err != nil {
		return nil, err
	}
	if cfg.Op == Barrier {
		b.op = n.Barrier
		return b, nil
	}
	data, err := fagus.NewArray[uint64](n, name, cfg.Bytes/8)
	if err != nil {
		return nil, err
	}
	guard, err := n.Bind(name, data.All())
	if err != nil {
		return nil, err
	}
	mine, none := n.Set(fagus.Want(guard, fagus.Exclusive)), n.Set()
	b.op = func() error {
		for turn := range 2 {
			set, work := none, func() {}
			if turn == n.Rank() {
				set, work = mine, func() {
					for i, x := range data.Slice() {
						data.Slice()[i] = x + 1
					}
				}
			}
			if err := during(n, set, work); err != nil {
				return err
			}
		}
		return nil
	}
	return b, nil
}

// batch times so many operations, from a barrier to their end at this rank.
func (b *bench) batch(count int) (fagus.Time, error) {
	if err := b.n.Barrier(); err != nil {
		return 0, err
	}
	start := b.n.Stats()
	for range count {
		if err := b.op(); err != nil {
			return 0, err
		}
	}
	end := b.n.Stats()
	return end.Total() - start.Total(), nil
}

// calibrate finds how many operations take the time of a batch. Rank 0 decides.
func (b *bench) calibrate(batch fagus.Time) (int, error) {
	const most = 1 << 30
	for count := int64(1); ; {
		took, err := b.batch(int(count))
		if err != nil {
			return 0, err
		}
		next := count
		if 0 < took && took < batch/2 { // alone, a rank of a simulated network takes no time
			next = min(most, count*max(2, min(10, int64(batch/took))))
		}
		agreed, err := b.agree(next)
		if err != nil || agreed == count {
			return int(count), err
		}
		count = agreed
	}
}

// agree brings what rank 0 wants to all.
func (b *bench) agree(want int64) (int64, error) {
	if b.n.Rank() == 0 {
		if err := during(b.n, b.n.Set(fagus.Want(b.control, fagus.Exclusive)), func() { b.next.Slice()[0] = want }); err != nil {
			return 0, err
		}
	}
	if err := b.n.Barrier(); err != nil {
		return 0, err
	}
	err := during(b.n, b.n.Set(fagus.Want(b.control, fagus.Shared)), func() { want = b.next.Slice()[0] })
	return want, err
}

// during calls f while the set is held.
func during(n *fagus.Node, set *fagus.SyncSet, f func()) error {
	if err := n.Acquire(set); err != nil {
		return err
	}
	f()
	return n.Release(set)
}
