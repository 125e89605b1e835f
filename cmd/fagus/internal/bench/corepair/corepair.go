package corepair

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Cache lines have different homes in the processor, at different distances, so RoundTrip
// measures several lines. It measures each line a few times, since a thread may be interrupted.
const (
	lines  = 16
	bursts = 3  // bursts per line
	rounds = 25 // round trips per burst
	// bound limits one wait. A wait mostly takes a microsecond, but longer on a loaded machine.
	bound = 20 * time.Second
)

// line is a word that both sides write in turns. Each line is at another offset of another page.
type line struct {
	_    [64]byte
	word atomic.Uint64
	_    [4096 + 56]byte
}

// RoundTrip returns the time of a cache line from processor a to b and back: the mean over lines
// of each line's shortest time. It returns an error if a thread cannot be pinned to its processor,
// or if one side waits 20 seconds for the other.
func RoundTrip(a, b int) (time.Duration, error) {
	if a == b {
		return 0, fmt.Errorf("corepair: %d and %d are one processor", a, b)
	}
	l := new([lines]line)
	var took time.Duration
	var stop atomic.Bool
	var errs [2]error
	var sides sync.WaitGroup
	for i, side := range []func() error{
		func() error { return echo(b, l, &stop) },
		func() (err error) { took, err = serve(a, l, &stop); return err },
	} {
		sides.Go(func() {
			if errs[i] = side(); errs[i] != nil {
				stop.Store(true)
			}
		})
	}
	sides.Wait()
	if errs[0] == nil || errors.Is(errs[0], errOther) {
		return took, errs[1]
	}
	return took, errs[0]
}

// errOther is the error of a side that stops because the other side failed.
var errOther = errors.New("corepair: the other side has failed")

// serve is the side that writes the odd numbers and measures the bursts.
func serve(cpu int, l *[lines]line, stop *atomic.Bool) (sum time.Duration, err error) {
	runtime.LockOSThread() // never unlocked: the pinned thread ends with the goroutine
	if err := Pin(cpu); err != nil {
		return 0, err
	}
	for i := range l {
		var least time.Duration
		for burst := range uint64(bursts) {
			start := time.Now()
			for n := burst * rounds; n < (burst+1)*rounds; n++ {
				l[i].word.Store(2*n + 1)
				if err := await(&l[i], 2*n+2, stop); err != nil {
					return 0, err
				}
			}
			if took := time.Since(start); burst == 0 || took < least {
				least = took
			}
		}
		sum += least
	}
	return sum / (lines * rounds), nil
}

// echo is the side that answers each odd number with the next even number.
func echo(cpu int, l *[lines]line, stop *atomic.Bool) error {
	runtime.LockOSThread()
	if err := Pin(cpu); err != nil {
		return err
	}
	for i := range l {
		for n := range uint64(bursts * rounds) {
			if err := await(&l[i], 2*n+1, stop); err != nil {
				return err
			}
			l[i].word.Store(2*n + 2)
		}
	}
	return nil
}

func await(l *line, want uint64, stop *atomic.Bool) error {
	const interval = 1 << 16 // spins between two reads of the clock
	var since time.Time
	for spins := 1; l.word.Load() != want; spins++ {
		if spins%interval != 0 {
			continue
		}
		if stop.Load() {
			return errOther
		}
		if since.IsZero() {
			since = time.Now()
		} else if time.Since(since) > bound {
			return fmt.Errorf("corepair: waited %v for the other processor", bound)
		}
	}
	return nil
}
