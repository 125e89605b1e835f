package pmi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// library is libpmix, or a replacement in tests. One call is made at a time, and may wait for ever.
type library interface {
	// open connects. When the launcher ends later, the library writes a byte to lost.
	open(lost *os.File) (job string, rank, size int, err error)
	put(key string, value []byte) error
	fence() error
	get(rank int, key string) ([]byte, error)
	finalize() error
}

// pmix is a server that libpmix connects to. Each call of the library runs in a goroutine, so that
// it can be given up; the goroutine then stays, and the library is not called again.
type pmix struct {
	lib          library
	events, lost *os.File // both ends of a pipe
	ended        chan struct{}
	broken       chan struct{} // closed by fail: no further call is made
	latch
}

var _ server = (*pmix)(nil)

func openPMIx(ctx context.Context, lib library) (*Client, error) {
	events, lost, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pmi: %w", err)
	}
	x := &pmix{lib: lib, events: events, lost: lost, ended: make(chan struct{}), broken: make(chan struct{})}
	x.then = func() { close(x.broken) }
	c := &Client{server: x}
	stop := c.giveUp(ctx)
	const doing = "connecting to the launcher"
	err = x.do(doing, answerTime, func() (err error) {
		c.job, c.rank, c.size, err = lib.open(lost)
		return err
	})
	if !stop() && err == nil {
		err = fmt.Errorf("pmi: %s: %w", doing, dimmnet.ContextErr(ctx))
	}
	if err != nil {
		return nil, err // the library may still use the pipe
	}
	go x.watch(c.launcherGone)
	if c.size < 1 || c.size > dimmnet.MaxNodes || c.rank < 0 || c.rank >= c.size {
		_ = c.Close(ctx) // the first error says more
		return nil, fmt.Errorf("pmi: %s: it says rank %d of %d: want a rank from 0 to the size - 1, and at most %d ranks", doing, c.rank, c.size, dimmnet.MaxNodes)
	}
	return c, nil
}

// watch waits for the library's word that the launcher is gone, or for the end of the pipe.
func (x *pmix) watch(gone func(error)) {
	defer close(x.ended)
	if n, _ := x.events.Read(make([]byte, 1)); n == 0 {
		return
	}
	x.fail(errLauncherGone)
	gone(fmt.Errorf("pmi: %w", errLauncherGone))
}

// do makes a call of the library, which may take the given time, or, if within is 0, waits for
// other ranks. After an error the call may still be under way: nobody reads what it sets.
func (x *pmix) do(doing string, within time.Duration, call func() error) error {
	if within > 0 {
		timer := time.AfterFunc(within, func() { x.fail(fmt.Errorf("the launcher has not answered for %v: check that it runs", within)) })
		defer timer.Stop()
	}
	done := make(chan error, 1)
	if x.failure() == nil {
		go func() { done <- call() }()
	}
	select {
	case err := <-done:
		if err == nil {
			return nil
		}
		x.fail(err)
	case <-x.broken:
	}
	return fmt.Errorf("pmi: %s: %w", doing, x.failure())
}

// callKey returns the key of a rank's bytes in a call of Gather.
func callKey(call uint32) string { return "fagus-" + strconv.FormatUint(uint64(call), 10) }

func (x *pmix) put(call uint32, own []byte) error {
	key := callKey(call)
	value := append([]byte{0}, own...) // a copy: the call may go on for ever
	return x.do("putting "+key+" into the launcher's store", answerTime, func() error { return x.lib.put(key, value) })
}

func (x *pmix) fence() error { return x.do("waiting for the other ranks in a fence", 0, x.lib.fence) }

func (x *pmix) fetch(call uint32, rank int) ([]byte, error) {
	key := callKey(call)
	var value []byte
	err := x.do(fmt.Sprintf("getting %s of rank %d from the launcher's store", key, rank), answerTime, func() (err error) {
		if value, err = x.lib.get(rank, key); err == nil && (len(value) == 0 || len(value) > maxBlob+1) {
			err = fmt.Errorf("it has %d bytes: want 1 to %d; all ranks must make the same calls", len(value), maxBlob+1)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return value[1:], nil
}

func (x *pmix) leave() error { return x.do("leaving the job", answerTime, x.lib.finalize) }

// close closes the pipe, unless the library may still write to it.
func (x *pmix) close() error {
	if x.failure() != nil {
		return nil
	}
	err := errors.Join(x.lost.Close(), x.events.Close())
	<-x.ended
	return err
}
