package mpi

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// TestIdsWrap makes messages by rendezvous with ids and addresses that wrap around. When the
// second half of the messages is made, the ids and addresses of the first half are in use.
func TestIdsWrap(t *testing.T) {
	const many, size, first = 5, 3000, 1<<32 - 3
	sent, received := make(chan struct{}), make(chan struct{})
	err := run(narrow(inproc.New(inproc.Config{})), 2, Options{Eager: -1}, func(c *Comm) error {
		e, mine := c.engine, sent
		if c.Rank() == 1 {
			<-sent
			for len(e.unexpected) < 2*many {
				if err := e.progress(); err != nil {
					return err
				}
			}
			mine = received
		}
		var reqs []*Request
		var got [][]byte
		for i := range 2 * many {
			if i%many == 0 {
				e.id, e.link.(*ringLink).last = first, first
			}
			start := func() (*Request, error) { return c.Isend(noise(size, uint64(i)), 1, i) }
			if c.Rank() == 1 {
				got = append(got, make([]byte, size))
				start = func() (*Request, error) { return c.Irecv(got[i], 0, i) }
			}
			r, err := start()
			if err != nil {
				return err
			}
			reqs = append(reqs, r)
		}
		close(mine)
		<-received // before this, rank 0 answers no CTS
		if _, err := Waitall(reqs...); err != nil {
			return err
		}
		for i, p := range got {
			if !bytes.Equal(p, noise(size, uint64(i))) {
				return fmt.Errorf("message %d has other contents", i)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCallsWrap makes collectives across number 2^32.
func TestCallsWrap(t *testing.T) {
	everywhere(t, 3, func(c *Comm) error {
		c.calls = 1<<32 - 5
		for round := range byte(10) {
			p := []byte{0}
			if c.Rank() == int(round)%c.Size() {
				p[0] = round
			}
			if err := c.Bcast(p, int(round)%c.Size()); err != nil || p[0] != round {
				return fmt.Errorf("broadcast %d: rank %d has %d: %w", round, c.Rank(), p[0], err)
			}
		}
		return nil
	})
}

// TestUnused checks that ids in use are skipped, and so is 0 after the largest id.
func TestUnused(t *testing.T) {
	inUse := map[uint32]bool{1<<32 - 1: false, 0: true, 2: true}
	last := uint32(1<<32 - 3)
	for _, want := range []uint32{1<<32 - 2, 1, 3, 4} {
		if got := unused(&last, inUse); got != want || last != want {
			t.Errorf("id %d, last %d, want %d", got, last, want)
		}
	}
}

// TestIdsOfGetsWrap makes two Gets with the same first id in one epoch.
func TestIdsOfGetsWrap(t *testing.T) {
	const size, first = 3000, 1<<32 - 2
	err := run(narrow(inproc.New(inproc.Config{})), 2, Options{Ring: minRingBytes}, func(c *Comm) error {
		w, err := c.NewWindow(noise(2*size, uint64(c.Rank())))
		if err != nil {
			return err
		}
		if err := w.Fence(); err != nil {
			return err
		}
		p := make([]byte, 2*size)
		for _, at := range []int{0, size} {
			c.engine.id = first
			if err := w.Get(p[at:][:size], 1-c.Rank(), at); err != nil {
				return err
			}
		}
		if err := w.Free(); err != nil {
			return err
		}
		if !bytes.Equal(p, noise(2*size, uint64(1-c.Rank()))) {
			return fmt.Errorf("rank %d got other bytes", c.Rank())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestContextsEnd checks that no communicator is made when no context is left.
func TestContextsEnd(t *testing.T) {
	err := run(inproc.New(inproc.Config{}), 2, Options{}, func(c *Comm) error {
		c.engine.context = maxContext - 2
		if _, err := c.Dup(); err != nil {
			return err
		}
		_, err := c.Dup()
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "all contexts of this rank are used") {
		t.Errorf("one communicator too many: %v", err)
	}
}
