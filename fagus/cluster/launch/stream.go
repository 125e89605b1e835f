package launch

import (
	"context"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"
)

// stream carries output from a source to a writer, which may block, in a goroutine of its own.
type stream struct {
	from  io.ReadCloser
	pipe  *os.File // the process's end of from until it has started; nil: from is no pipe
	to    *prefixer
	grace time.Duration // how long others may keep the pipe of a process open that has ended
	done  chan struct{} // closed when all has been written; err is set before
	err   error
	steps atomic.Int64 // the number of writes that have begun and that have ended: odd during one
}

// mostLeft is what a pipe holds: at most so much of it was written before the end of the process.
const (
	mostLeft = 64 << 10
	emptying = 10 * time.Millisecond // to read what is there
)

func newStream(from io.ReadCloser, to *prefixer, grace time.Duration) *stream {
	return &stream{from: from, to: to, grace: grace, done: make(chan struct{})}
}

func pipeTo(to *prefixer, grace time.Duration) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s := newStream(r, to, grace)
	s.pipe = w
	return s, nil
}

// begin is called when the process has started, or has not.
func (s *stream) begin(started bool) {
	if s.pipe != nil {
		_ = s.pipe.Close() // the process has its own
	}
	if !started {
		_ = s.from.Close() // nothing was written
		close(s.done)
		return
	}
	go s.carry()
}

// carry writes all output. If nobody reads it any more, it is dropped. After another error carry
// stops reading, so the process gets an error, too.
func (s *stream) carry() {
	defer close(s.done)
	defer s.from.Close()
	buf := make([]byte, 32<<10)
	for left := mostLeft; left > 0 && (s.err == nil || unread(s.err)); {
		n, err := s.from.Read(buf)
		if n > 0 {
			s.write(func() error {
				_, err := s.to.Write(buf[:n])
				return err
			})
		}
		switch {
		case left < mostLeft:
			left -= n
			s.leave(0)
		case errors.Is(err, os.ErrDeadlineExceeded): // the pipe may hold more
			left--
			s.leave(0)
			continue
		}
		if err != nil {
			break
		}
	}
	s.write(s.to.flush)
}

// write calls a function that writes, and keeps its error.
func (s *stream) write(put func() error) {
	s.steps.Add(1)
	if err := put(); s.err == nil {
		s.err = err
	}
	s.steps.Add(1)
}

// leave is called when the process has ended: others may keep its pipe open for some time.
func (s *stream) leave(after time.Duration) {
	if f, ok := s.from.(*os.File); ok {
		_ = f.SetReadDeadline(time.Now().Add(max(after, emptying))) // not on Windows: see wait
	}
}

// wait waits until all output of an ended process is written, and returns the error of a write. It
// waits for a reader that takes nothing as long as the job goes on. If the job has failed, or ctx
// has ended, it waits for patience, and for a slow reader twice as long.
func (s *stream) wait(ctx context.Context, failed bool) error {
	const step = patience / 10
	next := time.Tick(step)
	still, writing := time.Duration(0), time.Duration(0)
	for seen := s.steps.Load(); ; {
		select {
		case <-s.done:
			return s.err
		case <-next:
		}
		still += step
		now := s.steps.Load()
		if now != seen {
			seen, still = now, 0
		}
		inWrite, over := now%2 == 1, ctx.Err() != nil
		if inWrite && over {
			writing += step
		}
		switch asked := errors.Is(context.Cause(ctx), ctx.Err()); {
		case inWrite && (failed || over) && still >= patience,
			over && asked && writing >= 2*patience,
			!inWrite && still >= s.grace+patience: // the pipe has no deadline
			return nil
		}
	}
}

// unread reports whether err is the loss of output that nobody has read.
func unread(err error) bool { return errors.As(err, new(*unreadError)) }
