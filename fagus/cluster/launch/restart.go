package launch

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Stopped is the exit code of a rank that was told to stop and can go on: EX_TEMPFAIL of
// sysexits.h.
const Stopped = 75

// attempts calls once, with the number of the attempt and whether more may follow, until no rank
// dies, or ranks have died j.Restart times. An attempt that ends to change the number of ranks does
// not count. next prepares the next attempt, with size ranks if size is not 0. It returns what
// changes, for the message, or false if no attempt is possible.
func (j *Job) attempts(ctx context.Context, once func(ctx context.Context, attempt int, more bool) error, next func(size int) (string, bool)) error {
	for attempt, deaths := 0, 0; ; attempt++ {
		err := once(ctx, attempt, deaths < j.Restart)
		if j.Restart == 0 && j.Resize == nil || err == nil || ctx.Err() != nil {
			return err
		}
		if j.Stopping != nil && j.Stopping() {
			return numbered(err, deaths+1, j.Restart+1)
		}
		size := j.resized(err)
		if size == 0 && (!died(err) || deaths == j.Restart) {
			return numbered(err, deaths+1, j.Restart+1)
		}
		with, ok := next(size)
		if !ok {
			return numbered(err, deaths+1, j.Restart+1)
		}
		what := fmt.Sprintf("ranks from now on: %d%s", size, with)
		if size == 0 {
			deaths++
			what = fmt.Sprintf("%s: restarting%s, attempt %d of %d", strings.TrimPrefix(err.Error(), "launch: "), with, deaths+1, j.Restart+1)
		}
		if j.Resumes != nil {
			what += ", " + j.Resumes()
		}
		if err := soon(func() error {
			_, err := fmt.Fprintf(j.Stderr, "fagus: %s\n", what)
			return err
		}); err != nil {
			return fmt.Errorf("launch: %w", err)
		}
	}
}

// resized returns the new number of ranks, if the job has ended with err to change it, and 0
// otherwise.
func (j *Job) resized(err error) int {
	if j.Resize == nil {
		return 0
	}
	size := j.Resize()
	var exit *ExitError
	if died(err) || errors.As(err, &exit) && exit.Code == Stopped {
		return size
	}
	return 0
}

// FromCheckpoint returns where a job goes on, in words: from the checkpoint of this number, from
// the start if it is 0, or from the newest checkpoint if err says that its number is not known.
func FromCheckpoint(number uint64, err error) string {
	switch {
	case err != nil:
		return "from the newest checkpoint"
	case number == 0:
		return "from the start: there is no checkpoint yet"
	}
	return fmt.Sprintf("from checkpoint %d", number)
}

// numbered returns err as the failure of an attempt. The first one needs no number.
func numbered(err error, attempt, of int) error {
	if attempt == 1 {
		return err
	}
	const format = "%w (attempt %d of %d)"
	if exit := (*ExitError)(nil); errors.As(err, &exit) {
		last := *exit // an outcome may still read exit
		last.Err = fmt.Errorf(format, exit.Err, attempt, of)
		return &last
	}
	return fmt.Errorf(format, err, attempt, of)
}

// lostError is the loss of a host during a job.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// died reports whether a rank or a host is gone, which is no failure of the program: the next
// attempt may succeed.
func died(err error) bool {
	var exit *ExitError
	var host *lostError
	return errors.As(err, &exit) && exit.Died || errors.As(err, &host)
}

// bySignal reports whether an exit code says that a signal ended the process. A shell reports the
// end of its command so, and a program of package fagus/program its own end.
func bySignal(code int) bool {
	const base, signals = 128, 64
	return code > base && code <= base+signals
}

// without takes lost hosts out of the list. If the others have too few slots for size ranks, there
// are fewer ranks. It returns text about the change, and whether a host is left.
func (j *Hosts) without(size int, lost map[string]bool) (change string, ok bool) {
	var left []Host
	for _, h := range j.Hosts {
		switch {
		case !lost[h.Name]:
			left = append(left, h)
		case !strings.Contains(change+" ", " "+h.Name+" "): // a host may occur twice
			change += " without host " + h.Name
		}
	}
	if len(left) == 0 {
		return "", false
	}
	j.Hosts, j.Size = left, size
	for ; j.Size > 1; j.Size-- {
		if _, err := j.Shares(); err == nil {
			break
		}
	}
	if j.Size < size {
		change += fmt.Sprintf(" on %d of %d ranks", j.Size, size)
	}
	return change, true
}
