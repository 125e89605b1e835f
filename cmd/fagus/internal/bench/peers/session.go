package peers

import (
	"context"
	"fmt"
	"time"

	"github.com/fagus-dsm/fagus/apps/bench"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
)

// Case is an operation of one size that several systems perform.
type Case struct {
	Op      string
	Size    int
	Methods []Method
	Others  []Other
}

// Other is a program of two ranks that does not obey commands. It is measured in turns with the
// methods, but takes fewer samples.
type Other struct {
	Name    string
	Samples int
	// Take measures the operation once and returns its time.
	Take func(context.Context) (time.Duration, error)
}

// Method is how a system performs an operation.
type Method struct {
	System  int    // index into Session.Running
	Variant string // names the method, if the system has several
	Op      string // the system's own name for the operation
	Beside  bool   // Row.Beside
}

// Session measures cases on running systems.
type Session struct {
	Running []*Running
	Samples int           // samples per method
	Batch   time.Duration // approximate time of one sample
	// Unsteady says that the same operation may take a thousand times as long in one batch as in
	// another, as where ranks share processors. A slow batch then ends early, and the next one is
	// smaller.
	Unsteady bool
	// Probe measures the distance of the processors: the round trip of a cache line.
	Probe func() (time.Duration, error)
	// Progress is called after each sample, taken or spared, if it is not nil.
	Progress func()
}

// again is how many more samples are tried of a method whose samples were all dropped.
const again = 16

// Measure takes samples of all methods in turns. It returns a row for each method and distance,
// the near ones first, and the number of samples that were dropped. Of a method whose samples were
// all dropped it takes more, until one can be kept.
func (s *Session) Measure(ctx context.Context, c Case) (rows []Row, dropped int, err error) {
	counts := make([]int, len(c.Methods))
	for i, w := range c.Methods {
		if counts[i], err = s.calibrate(ctx, c, w); err != nil {
			return nil, 0, err
		}
	}
	all := make([]series, len(c.Methods)+len(c.Others))
	err = repeat.InTurn(s.Samples, len(all), func(round, at int) (err error) {
		if other := at - len(c.Methods); other >= 0 {
			if round < c.Others[other].Samples {
				err = s.other(ctx, c.Others[other], &all[at])
			}
			return err
		}
		if !all[at].enough(s.Running[c.Methods[at].System].Budget) {
			counts[at], err = s.sample(ctx, c, c.Methods[at], counts[at], &all[at])
		}
		if s.Progress != nil {
			s.Progress()
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	for i, w := range c.Methods {
		for try := 0; try < again && all[i].taken > 0 && all[i].taken == all[i].dropped; try++ {
			if counts[i], err = s.sample(ctx, c, w, counts[i], &all[i]); err != nil {
				return nil, 0, err
			}
		}
	}
	rows, dropped = s.rows(c, all)
	return rows, dropped, nil
}

// calibrate returns the number of operations that take about the time Batch. The first batch also
// makes the system allocate memory for the operation.
func (s *Session) calibrate(ctx context.Context, c Case, w Method) (int, error) {
	for count := 1; ; {
		took, done, err := s.batch(ctx, c, w, count)
		if err != nil {
			return 0, err
		}
		next := bench.Larger(done, virtual(took), virtual(s.Batch))
		if next == done {
			return done, nil
		}
		count = next
	}
}

func virtual(d time.Duration) fagus.Time { return fagus.Time(d.Nanoseconds()) * fagus.Nanosecond }

// probed takes a sample between two probes. take returns its time and its number of operations.
func (s *Session) probed(to *series, take func() (time.Duration, int, error)) (took time.Duration, done int, err error) {
	before, err := s.Probe()
	if err != nil {
		return 0, 0, err
	}
	if took, done, err = take(); err != nil {
		return 0, 0, err
	}
	after, err := s.Probe()
	to.add(before, after, took, done)
	return took, done, err
}

// sample takes a sample of about count operations, and returns the count for the next one.
func (s *Session) sample(ctx context.Context, c Case, w Method, count int, to *series) (next int, err error) {
	took, done, err := s.probed(to, func() (time.Duration, int, error) { return s.batch(ctx, c, w, count) })
	if err == nil && s.Unsteady {
		count = bench.Larger(done, virtual(took), virtual(s.Batch))
	}
	return count, err
}

// other takes a sample of a program that does not obey commands.
func (s *Session) other(ctx context.Context, from Other, to *series) error {
	_, _, err := s.probed(to, func() (time.Duration, int, error) {
		took, err := from.Take(ctx)
		if err != nil {
			err = fmt.Errorf("%s: %w", from.Name, err)
		}
		return took, 1, err
	})
	return err
}

// The parts of an unsteady batch. Two of them are under way at a time, so that no rank sleeps
// between two parts: the kernel favours a process that has slept.
const (
	parts     = 16
	leastPart = 4 // operations
	underway  = 2
)

// batch performs count operations and returns the time that they took. An unsteady batch ends early
// when it has taken twice the time that a batch should take; done is its number of operations.
func (s *Session) batch(ctx context.Context, c Case, w Method, count int) (took time.Duration, done int, err error) {
	system := s.Running[w.System]
	if !s.Unsteady {
		// The first of two batches is not measured: for some milliseconds after a sleep, the
		// run-time system of Go wakes up every 0.1 ms, and takes a rank's processor each time.
		whole := Command{w.Op, c.Size, count}
		if err := system.send(ctx, whole); err != nil {
			return 0, 0, err
		}
		second := system.write(whole) // if it fails, the answer to the first says why
		if _, err := system.receive(ctx, whole); err != nil {
			return 0, 0, err
		}
		if second != nil {
			return 0, 0, system.failure(ctx, second)
		}
		took, err = system.receive(ctx, whole)
		return took, count, err
	}
	part := Command{w.Op, c.Size, min(count, max(leastPart, count/parts))}
	for sent := 0; ; {
		for sent < done+underway*part.Count && sent < count && took < 2*s.Batch {
			if err := system.send(ctx, part); err != nil {
				return 0, 0, err
			}
			sent += part.Count
		}
		if sent == done {
			return took, done, nil
		}
		t, err := system.receive(ctx, part)
		if err != nil {
			return 0, 0, err
		}
		took += t
		done += part.Count
	}
}
