package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// dial joins a rank that is not 0.
func (h *Host) dial(ctx context.Context, at *net.UnixAddr, deadline time.Time) error {
	return retry(ctx, deadline, func() (bool, error) {
		c, final, err := h.introduce(ctx, at, deadline)
		if final {
			return true, err
		}
		if err != nil {
			return false, fmt.Errorf("cluster: rank %d has not found rank 0 of job %.80q at %s: %w", h.Rank(), h.place.Job, at.Name, err)
		}
		pid, _, err := peerCredentials(c.socket)
		if err != nil {
			_ = c.socket.Close() // it was not used
			return true, err
		}
		p := newPeer(c, 0, pid, assembler{count: h.Size()})
		h.peers = []*peer{p}
		h.readers.Add(1)
		go h.watch(p)
		return true, nil
	})
}

// introduce says hello to rank 0 and waits until it is welcome. If it is not, final says
// that there is no use in trying again.
func (h *Host) introduce(ctx context.Context, at *net.UnixAddr, deadline time.Time) (c *conn, final bool, err error) {
	socket, err := net.DialUnix(network, nil, at)
	if err != nil {
		return nil, false, err
	}
	c = newConn(socket)
	if final, err = h.beWelcome(ctx, c, deadline); err != nil {
		_ = socket.Close() // nothing more is said
		return nil, final, err
	}
	return c, false, nil
}

func (h *Host) beWelcome(ctx context.Context, c *conn, deadline time.Time) (final bool, err error) {
	pid, uid, err := peerCredentials(c.socket)
	if err != nil {
		return true, err
	}
	if uid != os.Geteuid() {
		return true, fmt.Errorf("cluster: pid %d of user %d listens where rank 0 of this job should: this process is of user %d", pid, uid, os.Geteuid())
	}
	who := h.own
	who.PatienceMS = max(0, time.Until(deadline).Milliseconds())
	m, err := who.message()
	if err != nil {
		return true, err
	}
	// Rank 0 knows the deadline, and who has not come by then: its word is waited for.
	if err := c.socket.SetDeadline(deadline.Add(noticeTimeout)); err != nil {
		return true, fmt.Errorf("cluster: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.socket.SetDeadline(time.Unix(1, 0)) })
	defer func() {
		if !stop() && err == nil {
			final, err = true, fmt.Errorf("cluster: rank %d gives up joining: %w", h.Rank(), dimmnet.ContextErr(ctx))
		}
	}()
	if err := c.send(m); err != nil {
		return false, err
	}
	answer, err := c.receive()
	if errors.Is(err, io.EOF) {
		return false, fmt.Errorf("pid %d has hung up", pid)
	}
	if err != nil {
		return false, err
	}
	switch answer.kind {
	case kindWelcome:
		return false, c.socket.SetDeadline(time.Time{})
	case kindFailed:
		return true, &Failed{Rank: answer.rank, Why: text(answer.body)}
	}
	closeAll(answer.files)
	return true, fmt.Errorf("cluster: pid %d answers a hello with a message of %v", pid, answer.kind)
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
