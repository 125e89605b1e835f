package corepair

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// A line has its home somewhere in the processor, and the way there differs: lines apart from each
// other are tried, each a few times, since a thread may be interrupted.
const (
	lines  = 16
	bursts = 3  // with a line
	rounds = 25 // of a burst
	// bound is how long one side waits for the other: a microsecond mostly, and where many want the
	// processors until it gets its turn.
	bound = 20 * time.Second
)

// line is a cache line with a word, which the two sides write in turn. The next one is in another
// page, at another place.
type line struct {
	_    [64]byte
	word atomic.Uint64
	_    [4096 + 56]byte
}

// RoundTrip is how long a cache line takes from processor a to b and back: the mean of several
// lines, each of which has its shortest time. It is an error if a thread cannot be kept on one of
// them, or does not get its turn for 20 seconds.
func RoundTrip(a, b int) (time.Duration, error) {
	if a == b {
		return 0, fmt.Errorf("corepair: %d and %d are one processor", a, b)
	}
	l := new([lines]line)
	var stop atomic.Bool
	echoes, times := make(chan error, 1), make(chan result, 1)
	go func() {
		err := echo(b, l, &stop)
		if err != nil {
			stop.Store(true)
		}
		echoes <- err
	}()
	go func() {
		r := serve(a, l, &stop)
		if r.err != nil {
			stop.Store(true)
		}
		times <- r
	}()
	err, r := <-echoes, <-times
	if err == nil || errors.Is(err, errOther) {
		err = r.err
	}
	return r.took, err
}

// errOther is what a side says that gives up since the other has.
var errOther = errors.New("corepair: the other side has failed")

type result struct {
	took time.Duration
	err  error
}

// serve sends the odd numbers, and times the bursts.
func serve(cpu int, l *[lines]line, stop *atomic.Bool) (r result) {
	runtime.LockOSThread() // it ends with the goroutine, since its processor was chosen
	if r.err = Pin(cpu); r.err != nil {
		return r
	}
	for i := range l {
		var least time.Duration
		for burst := range uint64(bursts) {
			start := time.Now()
			for n := burst * rounds; n < (burst+1)*rounds; n++ {
				l[i].word.Store(2*n + 1)
				if r.err = await(&l[i], 2*n+2, stop); r.err != nil {
					return r
				}
			}
			if took := time.Since(start); burst == 0 || took < least {
				least = took
			}
		}
		r.took += least
	}
	r.took /= lines * rounds
	return r
}

// echo answers with the even ones.
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

// await spins until the word is want.
func await(l *line, want uint64, stop *atomic.Bool) error {
	const look = 1 << 16 // spins between two looks at the clock
	var since time.Time
	for spins := 1; l.word.Load() != want; spins++ {
		if spins%look != 0 {
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
