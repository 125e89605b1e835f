package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// dial joins a rank that is not 0.
func (h *member) dial(ctx context.Context, deadline time.Time) error {
	return retry(ctx, deadline, func() (bool, error) {
		c, final, err := h.introduce(ctx, deadline)
		if final {
			return true, err
		}
		if err != nil {
			return false, fmt.Errorf("cluster: rank %d has not found rank 0 of job %.80q: %w", h.Rank(), h.place.Job, err)
		}
		p := newPeer(c, 0, c.remote(), assembler{count: h.Size()})
		h.mu.Lock()
		h.peers = []*peer{p}
		h.mu.Unlock()
		h.readers.Add(1)
		go h.watch(p)
		return true, nil
	})
}

// introduce says hello to rank 0 and waits until it is welcome. If it is not, final says
// that there is no use in trying again.
func (h *member) introduce(ctx context.Context, deadline time.Time) (c conn, final bool, err error) {
	if c, final, err = h.wire.call(ctx); err != nil {
		return nil, final, err
	}
	if final, err = h.beWelcome(ctx, c, deadline); err != nil {
		_ = c.Close() // nothing more is said
		return nil, final, err
	}
	return c, false, nil
}

func (h *member) beWelcome(ctx context.Context, c conn, deadline time.Time) (final bool, err error) {
	who := h.own
	who.PatienceMS = max(0, time.Until(deadline).Milliseconds())
	m, err := who.message()
	if err != nil {
		return true, err
	}
	// Rank 0 knows the deadline, and who has not come by then: its word is waited for.
	if err := c.SetDeadline(deadline.Add(noticeTimeout)); err != nil {
		return true, fmt.Errorf("cluster: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer func() {
		if !stop() && err == nil {
			final, err = true, fmt.Errorf("cluster: rank %d gives up joining: %w", h.Rank(), dimmnet.ContextErr(ctx))
		}
	}()
	if err := c.send(m); err != nil {
		return false, err
	}
	answer, err := c.receive()
	for err == nil && answer.kind == kindAsk {
		if err = c.send(message{kind: kindAlive, rank: h.Rank()}); err == nil {
			answer, err = c.receive()
		}
	}
	if errors.Is(err, io.EOF) {
		return false, fmt.Errorf("%s has hung up", c.remote())
	}
	if err != nil {
		return false, err
	}
	switch answer.kind {
	case kindWelcome:
		return false, c.SetDeadline(time.Time{})
	case kindFailed:
		return true, &Failed{Rank: answer.rank, Why: text(answer.body)}
	}
	closeAll(answer.files)
	return true, fmt.Errorf("cluster: %s answers a hello with a message of %v", c.remote(), answer.kind)
}

const (
	shortestPause = time.Millisecond
	longestPause  = 50 * time.Millisecond
)

// retry tries again and again until it is done, at most until the deadline.
func retry(ctx context.Context, deadline time.Time, try func() (done bool, err error)) error {
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		done, err := try()
		if done {
			return err
		}
		if !time.Now().Before(deadline) {
			return fmt.Errorf("%w: in vain until the timeout", err)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("cluster: joining: %w: %w", dimmnet.ContextErr(ctx), err)
		}
	}
}
