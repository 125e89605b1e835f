//go:build linux

package tcp

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// poll is where a thread sleeps until something comes: an epoll descriptor, and an
// eventfd in it by which other threads of the process wake the sleeper.
type poll struct {
	fd   int
	bell int
}

// bellRank is what the poll calls the bell, where it calls a connection by its rank.
const bellRank = -1

func newPoll() (poll, error) {
	var p poll
	var err error
	if p.fd, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return p, fmt.Errorf("tcp: epoll: %w", err)
	}
	if p.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		_ = unix.Close(p.fd)
		return p, fmt.Errorf("tcp: eventfd: %w", err)
	}
	if err = p.watch(unix.EPOLL_CTL_ADD, p.bell, bellRank, false); err != nil {
		p.Close()
	}
	return p, err
}

// watch adds, changes or deletes a descriptor, of which the poll tells by a number: when
// something is to be read, or if room is set when there is room to write, too.
func (p poll) watch(op, fd int, number int32, room bool) error {
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: number}
	if room {
		event.Events |= unix.EPOLLOUT
	}
	if err := unix.EpollCtl(p.fd, op, fd, &event); err != nil {
		return fmt.Errorf("tcp: epoll: %w", err)
	}
	return nil
}

// Wait returns whose connections are ready, when there is one, but waits at most for so
// long. It asks the system for no more than some at once.
func (p poll) Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank {
	var events [16]unix.EpollEvent
	n, err := unix.EpollWait(p.fd, events[:min(len(events), cap(ready))], int(atMost.Milliseconds()))
	if err != nil {
		return nil // interrupted: the caller looks again
	}
	ready = ready[:0]
	for _, e := range events[:n] {
		if e.Fd == bellRank {
			p.quiet()
		} else {
			ready = append(ready, dimmnet.Rank(e.Fd))
		}
	}
	return ready
}

// Wake ends the wait of a thread, or the next one.
func (p poll) Wake() {
	// It fails only if 2^64-2 wake-ups are pending.
	_, _ = unix.Write(p.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// quiet takes a wake-up back.
func (p poll) quiet() {
	var count [8]byte
	_, _ = unix.Read(p.bell, count[:]) // or another thread has
}

// Close closes the descriptors.
func (p poll) Close() {
	_ = unix.Close(p.bell)
	_ = unix.Close(p.fd)
}
