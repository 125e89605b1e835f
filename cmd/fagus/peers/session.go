package peers

import (
	"context"
	"time"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/fagus"
)

// Case is an operation, of one size, as several systems do it.
type Case struct {
	Op   string
	Size int
	Ways []Way
}

// Way is how a system does it.
type Way struct {
	System  int    // of the session's
	Variant string // in words, if a system has several
	Op      string // the system's own name for it
}

// Session measures cases.
type Session struct {
	Running []*Running
	Samples int           // of each way
	Batch   time.Duration // of a sample, about
	// Probe is how far the processors are from each other, as the round trip of a cache line.
	Probe func() (time.Duration, error)
	// Progress is called after each sample, if it is not nil.
	Progress func()
}

// Measure takes samples of all ways in turn, and returns a row for each way and distance, the
// near ones first, and how many samples were dropped.
func (s *Session) Measure(ctx context.Context, c Case) (rows []Row, dropped int, err error) {
	counts := make([]int, len(c.Ways))
	for i, w := range c.Ways {
		if counts[i], err = s.calibrate(ctx, c, w); err != nil {
			return nil, 0, err
		}
	}
	all := make([]series, len(c.Ways))
	for round := range s.Samples {
		for i := range c.Ways {
			at := (round + i) % len(c.Ways)
			if err := s.sample(ctx, c, c.Ways[at], counts[at], &all[at]); err != nil {
				return nil, 0, err
			}
			if s.Progress != nil {
				s.Progress()
			}
		}
	}
	rows, dropped = s.rows(c, all)
	return rows, dropped, nil
}

// calibrate finds how many operations make a batch. It also makes what an operation needs.
func (s *Session) calibrate(ctx context.Context, c Case, w Way) (int, error) {
	for count := 1; ; {
		took, err := s.Running[w.System].Batch(ctx, Command{w.Op, c.Size, count})
		if err != nil {
			return 0, err
		}
		next := bench.Larger(count, virtual(took), virtual(s.Batch))
		if next == count {
			return count, nil
		}
		count = next
	}
}

func virtual(d time.Duration) fagus.Time { return fagus.Time(d.Nanoseconds()) * fagus.Nanosecond }

func (s *Session) sample(ctx context.Context, c Case, w Way, count int, to *series) error {
	before, err := s.Probe()
	if err != nil {
		return err
	}
	took, err := s.Running[w.System].Batch(ctx, Command{w.Op, c.Size, count})
	if err != nil {
		return err
	}
	after, err := s.Probe()
	if err != nil {
		return err
	}
	to.add(before, after, float64(took.Nanoseconds())/float64(count))
	return nil
}
