package cluster

import (
	"cmp"
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
	"github.com/fagus-dsm/fagus/dimmnet/live/local"
)

// JoinHost joins the other ranks of place's job, all on this host, and returns when all ranks have
// joined. Every waiting rank gets an error if a rank is late, if two processes have the same rank,
// or if a process is of another job, size or version. JoinHost needs Linux.
func JoinHost(ctx context.Context, place Place, spec Spec) (*Host, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	if err := cmp.Or(place.CheckHost(), spec.CheckDrivers(false)); err != nil {
		return nil, err
	}
	if spec.Net == TCP || spec.Net == QUIC {
		if _, err := ChooseInterface("", nil); err != nil {
			return nil, err
		}
	}
	return joinHost(ctx, place, spec, meetingPoint(place))
}

func joinHost(ctx context.Context, place Place, spec Spec, at *net.UnixAddr) (*Host, error) {
	timeout, err := patience(ctx, spec.Timeout, defaultTimeout)
	if err != nil {
		return nil, err
	}
	place.Job = strings.ToValidUTF8(place.Job, "?") // JSON encoding would replace invalid bytes
	h := &Host{}
	w := hostWire{address: at}
	own := newHello(place, os.Getpid(), timeout)
	own.Net = spec.Net.String()
	spec.Identity = nil
	h.begin(place, spec, w, own)
	deadline := time.Now().Add(timeout)
	if place.Rank == 0 {
		if err = h.listen(ctx, w, deadline); err == nil {
			err = h.host(ctx, deadline)
		}
	} else {
		err = h.dial(ctx, deadline)
	}
	if err != nil {
		h.shutdown()
		return nil, atDeadline(ctx, deadline, err)
	}
	return h, nil
}

func (m *member) begin(place Place, spec Spec, w wire, own hello) {
	spec.Stall = cmp.Or(spec.Stall, local.DefaultStall)
	m.place, m.spec, m.wire, m.own = place, spec, w, own
	m.joined, m.broken, m.ending = make(chan struct{}), make(chan struct{}), make(chan struct{})
	m.notes.of, m.notes.answered, m.notes.arrived = make([][]byte, place.Size), make([]uint32, place.Size), make(chan struct{})
}

// patience returns how long a rank waits for the other ranks, given Spec.Timeout and its default.
// That is a little less than ctx permits: at the timeout rank 0 reports which ranks are missing; a
// rank whose context ends knows only that.
func patience(ctx context.Context, timeout, otherwise time.Duration) (time.Duration, error) {
	if timeout < 0 || timeout > maxPatience {
		return 0, fmt.Errorf("cluster: timeout %v: want 0 to %v", timeout, maxPatience)
	}
	if timeout == 0 {
		timeout = onBusyHost(otherwise, waited())
	}
	if end, ok := ctx.Deadline(); ok {
		left := time.Until(end)
		timeout = min(timeout, max(left-min(left/8, noticeTimeout/2), time.Millisecond))
	}
	return timeout, nil
}

// onBusyHost returns how long a rank waits for others. If this process has waited long for a
// processor, the others may come much later.
func onBusyHost(timeout, waited time.Duration) time.Duration {
	const times, most = 20, 5 * time.Minute
	return timeout + min(times*waited, most)
}

// atDeadline returns err as an error of ctx if patience has derived the deadline from ctx, and it
// is about over. Another rank's deadline may be a moment before.
func atDeadline(ctx context.Context, deadline time.Time, err error) error {
	if end, ok := ctx.Deadline(); ok && end.Sub(deadline) <= noticeTimeout/2 && time.Until(deadline) < noticeTimeout/10 {
		return late{err}
	}
	return err
}

// late is the error of ranks that do not join before a context ends.
type late struct{ error }

func (l late) Unwrap() error      { return l.error }
func (late) Is(target error) bool { return target == context.DeadlineExceeded }

func (p Place) check() error {
	switch {
	case p.Size < 1 || p.Size > dimmnet.MaxNodes || p.Rank < 0 || p.Rank >= p.Size:
		return fmt.Errorf("cluster: rank %d of %d: want a rank from 0 to the size - 1, and at most %d ranks", p.Rank, p.Size, dimmnet.MaxNodes)
	case p.Job == "" || len(p.Job) > maxJob:
		return fmt.Errorf("cluster: the job's name has %d bytes: want 1 to %d", len(p.Job), maxJob)
	}
	return nil
}

// CheckHost returns an error, as JoinHost does, if p cannot be a place in a job on one host.
func (p Place) CheckHost() error {
	if p.ByLauncher {
		return fmt.Errorf("cluster: %s=%s joins ranks through their launcher, which passes no shared memory: unset it, or use --net tcp", fagusJoin, joinPMI)
	}
	if err := p.check(); err != nil {
		return err
	}
	if p.Spans() {
		return fmt.Errorf("cluster: %s=%.80s is an address, but ranks of one host meet at a Unix socket: unset it, set it to %s and the path of a socket, or use --net tcp",
			fagusRendezvous, p.Rendezvous, unixPrefix)
	}
	return p.checkLocalSize()
}

func (p Place) checkLocalSize() error {
	if p.LocalSize != 0 && p.LocalSize != p.Size {
		return fmt.Errorf("cluster: only %[2]d of the job's %[1]d ranks are on this host: set %[3]s to the host:port where the ranks meet and use --net tcp",
			p.Size, p.LocalSize, fagusRendezvous)
	}
	return nil
}

func meetingPoint(p Place) *net.UnixAddr {
	if name, ok := strings.CutPrefix(p.Rendezvous, unixPrefix); ok {
		return &net.UnixAddr{Name: name, Net: network}
	}
	// The name of a socket is at most 108 bytes, so the job's name is hashed.
	return ownSocket(fmt.Sprintf("%x", sha256.Sum256([]byte(p.Job))))
}

// ownSocket returns an abstract address on which the kernel tells the user at the other end.
func ownSocket(name string) *net.UnixAddr {
	return &net.UnixAddr{Name: fmt.Sprintf("@fagus-%d-%s", os.Geteuid(), name), Net: network}
}

// host joins the job as rank 0, which listens for the other ranks.
func (m *member) host(ctx context.Context, deadline time.Time) error {
	m.mu.Lock()
	m.peers = make([]*peer, m.Size())
	m.rendezvous = newRendezvous(m.Size())
	if m.tightenDeadline(time.Until(deadline)); m.Size() == 1 {
		m.rendezvous.complete = true
		close(m.joined)
	}
	m.mu.Unlock()
	m.readers.Add(1)
	go m.accept()
	stop := context.AfterFunc(ctx, func() {
		m.mu.Lock()
		came, missing := m.presence()
		m.mu.Unlock()
		m.fail(0, fmt.Errorf("cluster: rank 0 stops joining: %w: of the %d ranks of job %.80q, these had joined: %s; these had not: %s",
			dimmnet.ContextErr(ctx), m.Size(), m.place.Job, list(came), list(missing)))
	})
	defer stop()
	select {
	case <-m.joined:
	case <-m.broken:
		m.linger(ctx)
		return m.failure()
	}
	for _, p := range m.peers[1:] {
		if err := p.send(message{kind: kindWelcome}); err != nil {
			m.lost(p, err)
			return m.failure()
		}
	}
	return nil
}

// linger keeps a failed rank 0 reachable for a moment, so that late ranks get the error.
func (m *member) linger(ctx context.Context) {
	select {
	case <-m.rendezvous.allSeen:
	case <-time.After(time.Second / 2):
	case <-ctx.Done():
	}
}

// listen opens the socket at the meeting point. If another process holds the socket, listen sends
// it a hello, so that both processes get an error about a second rank 0.
func (h *Host) listen(ctx context.Context, w hostWire, deadline time.Time) error {
	return retry(ctx, deadline, func() (bool, error) {
		l, err := net.ListenUnix(network, w.address)
		if err == nil {
			h.listener = l
			return true, nil
		}
		err = fmt.Errorf("cluster: listening as rank 0 of job %.80q: %w", h.place.Job, err)
		if !errors.Is(err, syscall.EADDRINUSE) {
			return true, err
		}
		c, final, failure := h.connect(ctx, deadline)
		if failure == nil {
			_ = c.Close() // the process welcomed a second rank 0, so it is no rank 0
			return true, err
		}
		if final {
			return true, failure
		}
		return false, fmt.Errorf("%w, but does not answer: %w", err, failure)
	})
}
