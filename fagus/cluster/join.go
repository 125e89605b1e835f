package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// JoinHost joins the other ranks of place's job, all of which are on this host, and
// returns when all have come. If one has not come in time, if two are of one number or
// one is of another job, size or version, all ranks that wait get an error that says so.
// It needs Linux.
func JoinHost(ctx context.Context, place Place, cfg HostConfig) (*Host, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	if err := place.CheckHost(); err != nil {
		return nil, err
	}
	timeout, err := patience(cfg.Timeout)
	if err != nil {
		return nil, err
	}
	place.Job = strings.ToValidUTF8(place.Job, "?") // JSON would change it on the way
	h := &Host{}
	w := hostWire{at: meetingPoint(place)}
	h.begin(place, w, newHello(place, os.Getpid(), timeout))
	deadline := time.Now().Add(timeout)
	if place.Rank == 0 {
		if err = h.listen(ctx, w, deadline); err == nil {
			err = h.host(ctx, deadline)
		}
	} else {
		err = h.dial(ctx, deadline)
	}
	if err != nil {
		h.release()
		return nil, err
	}
	return h, nil
}

// begin is for a member that has not joined.
func (h *member) begin(place Place, w wire, own hello) {
	h.place, h.wire, h.own = place, w, own
	h.joined, h.broken, h.ending = make(chan struct{}), make(chan struct{}), make(chan struct{})
}

// patience is how long a rank waits that says timeout.
func patience(timeout time.Duration) (time.Duration, error) {
	if timeout < 0 || timeout > maxPatience {
		return 0, fmt.Errorf("cluster: a timeout of %v: %v is the most", timeout, maxPatience)
	}
	if timeout == 0 {
		timeout = defaultTimeout
	}
	return timeout, nil
}

// check says what is wrong with p for any job.
func (p Place) check() error {
	switch {
	case p.Size < 1 || p.Size > dimmnet.MaxNodes || p.Rank < 0 || p.Rank >= p.Size:
		return fmt.Errorf("cluster: rank %d of %d", p.Rank, p.Size)
	case p.Job == "" || len(p.Job) > maxJob:
		return fmt.Errorf("cluster: a job whose name has %d bytes: 1 to %d", len(p.Job), maxJob)
	}
	return nil
}

// CheckHost says what is wrong with p for a job of one host. JoinHost returns the same error.
func (p Place) CheckHost() error {
	if err := p.check(); err != nil {
		return err
	}
	if p.Spans() {
		return fmt.Errorf("cluster: %s=%.80s is an address, and ranks that are all on one host meet at a Unix socket: unset it, set it to %s and the path of a socket, or use sockets (--net tcp)",
			fagusRendezvous, p.Rendezvous, unixPrefix)
	}
	if p.LocalSize != 0 && p.LocalSize != p.Size {
		return fmt.Errorf("cluster: the job has %d ranks and %d of them are on this host: set %s to where those of all hosts meet, host:port, and use sockets",
			p.Size, p.LocalSize, fagusRendezvous)
	}
	return nil
}

// meetingPoint is the address of rank 0.
func meetingPoint(p Place) *net.UnixAddr {
	if name, ok := strings.CutPrefix(p.Rendezvous, unixPrefix); ok {
		return &net.UnixAddr{Name: name, Net: network}
	}
	// Names are short, and a job's may be long.
	return &net.UnixAddr{Name: fmt.Sprintf("@fagus-%d-%x", os.Geteuid(), sha256.Sum256([]byte(p.Job))), Net: network}
}

// host joins rank 0, who listens.
func (h *member) host(ctx context.Context, deadline time.Time) error {
	h.mu.Lock()
	h.peers = make([]*peer, h.Size())
	h.hall = newHall(h.Size())
	if h.expect(time.Until(deadline)); h.Size() == 1 {
		h.hall.complete = true
		close(h.joined)
	}
	h.mu.Unlock()
	h.readers.Add(1)
	go h.receive()
	stop := context.AfterFunc(ctx, func() {
		h.fail(0, fmt.Errorf("cluster: rank 0 gives up joining: %w", dimmnet.ContextErr(ctx)))
	})
	defer stop()
	select {
	case <-h.joined:
	case <-h.broken:
		h.linger(ctx)
		return h.failure()
	}
	for _, p := range h.peers[1:] {
		if err := p.send(message{kind: kindWelcome}); err != nil {
			h.fail(p.rank, fmt.Errorf("cluster: rank %d (%s) is lost: %w", p.rank, p.who, err))
			return h.failure()
		}
	}
	return nil
}

// linger stays for those that are about to come, because they would wait for a rank 0 in
// vain.
func (h *member) linger(ctx context.Context) {
	const longest = time.Second / 2
	timer := time.NewTimer(longest)
	defer timer.Stop()
	select {
	case <-h.hall.everyone:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// listen takes the meeting point. If somebody has it, that process is told that there are
// two of rank 0.
func (h *Host) listen(ctx context.Context, w hostWire, deadline time.Time) error {
	return retry(ctx, deadline, func() (bool, error) {
		l, err := net.ListenUnix(network, w.at)
		if err == nil {
			h.listener = l
			return true, nil
		}
		err = fmt.Errorf("cluster: rank 0 of job %.80q: %w", h.place.Job, err)
		if !errors.Is(err, syscall.EADDRINUSE) {
			return true, err
		}
		c, final, failure := h.introduce(ctx, deadline)
		if failure == nil {
			_ = c.Close() // whoever welcomes a second rank 0 is no rank 0
			return true, err
		}
		if final {
			return true, failure
		}
		return false, fmt.Errorf("%w, but does not answer: %w", err, failure)
	})
}
