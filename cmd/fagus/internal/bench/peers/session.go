package peers

import (
	"context"
	"time"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/fagus"
)

// Case is an operation of one size that several systems perform.
type Case struct {
	Op      string
	Size    int
	Methods []Method
}

// Method is how a system performs an operation.
type Method struct {
	System  int    // index into Session.Running
	Variant string // names the method, if the system has several
	Op      string // the system's own name for the operation
}

// Session measures cases on running systems.
type Session struct {
	Running []*Running
	Samples int           // samples per method
	Batch   time.Duration // approximate time of one sample
	// Probe measures the distance of the processors: the round trip of a cache line.
	Probe func() (time.Duration, error)
	// Progress is called after each sample, taken or spared, if it is not nil.
	Progress func()
}

// Measure takes samples of all methods in turns. It returns a row for each method and distance,
// the near ones first, and the number of samples that were dropped.
func (s *Session) Measure(ctx context.Context, c Case) (rows []Row, dropped int, err error) {
	counts := make([]int, len(c.Methods))
	for i, w := range c.Methods {
		if counts[i], err = s.calibrate(ctx, c, w); err != nil {
			return nil, 0, err
		}
	}
	all := make([]series, len(c.Methods))
	for round := range s.Samples {
		for i := range c.Methods {
			at := (round + i) % len(c.Methods)
			if all[at].enough(s.Running[c.Methods[at].System].Budget) {
				s.progress()
				continue
			}
			if err := s.sample(ctx, c, c.Methods[at], counts[at], &all[at]); err != nil {
				return nil, 0, err
			}
			s.progress()
		}
	}
	rows, dropped = s.rows(c, all)
	return rows, dropped, nil
}

func (s *Session) progress() {
	if s.Progress != nil {
		s.Progress()
	}
}

// calibrate returns the number of operations that take about the time Batch. The first batch also
// makes the system allocate memory for the operation.
func (s *Session) calibrate(ctx context.Context, c Case, w Method) (int, error) {
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

func (s *Session) sample(ctx context.Context, c Case, w Method, count int, to *series) error {
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
	to.add(before, after, took, count)
	return nil
}
