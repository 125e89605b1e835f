package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

func (m *member) dial(ctx context.Context, deadline time.Time) error {
	var final bool
	err := retry(ctx, deadline, func() (bool, error) {
		var c conn
		var err error
		if c, final, err = m.connect(ctx, deadline); final {
			return true, err
		}
		if err != nil {
			return false, fmt.Errorf("cluster: rank %d cannot reach rank 0 of job %.80q: %w", m.Rank(), m.place.Job, err)
		}
		p := newPeer(c, 0, c.remote(), assembler{count: m.Size()})
		m.mu.Lock()
		m.peers = []*peer{p}
		m.mu.Unlock()
		m.readers.Add(1)
		go m.watch(p)
		return true, nil
	})
	if err == nil || final || ctx.Err() != nil {
		return err
	}
	if nobody := (absent{}); errors.As(err, &nobody) {
		waited := time.Duration(m.own.PatienceMS) * time.Millisecond
		err = fmt.Errorf("cluster: rank 0 of job %.80q has not started within %v: rank %d finds that %w", m.place.Job, waited.Round(10*time.Millisecond), m.Rank(), nobody)
	}
	return &Failed{Rank: 0, Why: err.Error(), cause: dimmnet.Gone(err)}
}

// absent is the error of a rank that finds no rank 0.
type absent struct{ address string }

func (a absent) Error() string { return "nobody listens at " + a.address }

// connect joins through rank 0. If err is not nil, final reports that a retry is pointless.
func (m *member) connect(ctx context.Context, deadline time.Time) (c conn, final bool, err error) {
	if c, final, err = m.wire.dial(ctx); err != nil {
		return nil, final, err
	}
	if final, err = m.sayHello(ctx, c, deadline); err != nil {
		_ = c.Close() // nothing more is sent
		return nil, final, err
	}
	return c, false, nil
}

func (m *member) sayHello(ctx context.Context, c conn, deadline time.Time) (final bool, err error) {
	greeting := m.own
	greeting.PatienceMS = max(0, time.Until(deadline).Milliseconds())
	msg, err := greeting.message()
	if err != nil {
		return true, err
	}
	// Rank 0 reports the missing ranks at the deadline, so wait a little longer for the report.
	if err := c.SetDeadline(deadline.Add(noticeTimeout)); err != nil {
		return true, fmt.Errorf("cluster: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer func() {
		if !stop() && (err == nil || errors.Is(err, os.ErrDeadlineExceeded)) {
			final, err = true, fmt.Errorf("cluster: rank %d stops joining: %w", m.Rank(), dimmnet.ContextErr(ctx))
		}
	}()
	if err := c.send(msg); err != nil {
		return false, err
	}
	answer, err := c.receive()
	for err == nil && answer.kind == kindPing {
		if err = c.send(message{kind: kindPong, rank: m.Rank()}); err == nil {
			answer, err = c.receive()
		}
	}
	if errors.Is(err, io.EOF) {
		return false, fmt.Errorf("%s closed the connection", c.remote())
	}
	if err != nil {
		return false, err
	}
	switch answer.kind {
	case kindWelcome:
		return false, c.SetDeadline(time.Time{})
	case kindFailed, kindLost:
		err := answer.failure()
		return true, &Failed{Rank: answer.rank, Why: err.Error(), cause: err}
	}
	closeAll(answer.files)
	return true, fmt.Errorf("cluster: %s answered the hello with a message of %v", c.remote(), answer.kind)
}

const (
	shortestPause = time.Millisecond
	longestPause  = 50 * time.Millisecond
)

// retry calls try, with growing pauses, until try reports done, ctx ends, or the deadline passes.
func retry(ctx context.Context, deadline time.Time, try func() (done bool, err error)) error {
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		done, err := try()
		if done {
			return err
		}
		if !time.Now().Before(deadline) {
			return fmt.Errorf("%w: gave up at the timeout", err)
		}
		if rest(ctx, pause); ctx.Err() != nil {
			return fmt.Errorf("cluster: joining: %w: %w", dimmnet.ContextErr(ctx), err)
		}
	}
}
