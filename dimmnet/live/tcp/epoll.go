//go:build linux && !fagusportable

package tcp

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
)

// poll is an epoll descriptor in which a thread sleeps, and an eventfd by which others wake it.
type poll struct {
	fd      int
	eventfd int
}

// eventfdNumber marks events of the eventfd. The rank of the peer marks events of a connection.
const eventfdNumber = -1

func newPoll() (poll, error) {
	var p poll
	var err error
	if p.fd, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return p, fmt.Errorf("tcp: epoll_create1: %w", err)
	}
	if p.eventfd, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		_ = unix.Close(p.fd)
		return p, fmt.Errorf("tcp: eventfd: %w", err)
	}
	if err = p.watch(unix.EPOLL_CTL_ADD, p.eventfd, eventfdNumber, false); err != nil {
		p.Close()
	}
	return p, err
}

// watch adds, changes or deletes fd in the set for epoll: for reads and, if writable, for writes.
func (p poll) watch(op, fd int, number int32, writable bool) error {
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: number}
	if writable {
		event.Events |= unix.EPOLLOUT
	}
	if err := unix.EpollCtl(p.fd, op, fd, &event); err != nil {
		return fmt.Errorf("tcp: epoll_ctl: %w", err)
	}
	return nil
}

// Wait waits at most atMost for ready connections, and reads a bounded number of events. epoll
// reports each ready connection in turn. A thread that does not wait leaves the eventfd alone.
func (p poll) Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank {
	var events [16]unix.EpollEvent
	delay.Here()
	n, err := unix.EpollWait(p.fd, events[:min(len(events), cap(ready))], int(atMost.Milliseconds()))
	if err != nil {
		return nil // interrupted: the caller checks its condition again
	}
	ready = ready[:0]
	for _, e := range events[:n] {
		if e.Fd != eventfdNumber {
			ready = append(ready, dimmnet.Rank(e.Fd))
		} else if atMost > 0 {
			delay.Here()
			p.clear()
		}
	}
	return ready
}

// Wake ends the Wait of a thread, or the next Wait for more than 0.
func (p poll) Wake() {
	// The write fails only if 2^64-2 wake-ups are pending.
	_, _ = unix.Write(p.eventfd, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

func (p poll) clear() {
	var count [8]byte
	_, _ = unix.Read(p.eventfd, count[:]) // fails if another thread has read the eventfd before
}

func (p poll) Close() {
	_ = unix.Close(p.eventfd)
	_ = unix.Close(p.fd)
}
