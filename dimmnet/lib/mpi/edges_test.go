package mpi

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// TestLargestTag: the largest tag arrives, and matches only itself and AnyTag.
func TestLargestTag(t *testing.T) {
	err := run(inproc.New(inproc.Config{}), 2, Options{}, func(c *Comm) error {
		if c.Rank() == 0 {
			return errors.Join(c.Send([]byte{1}, 1, MaxTag), c.Send([]byte{2}, 1, MaxTag-1), c.Send([]byte{3}, 1, MaxTag))
		}
		for _, want := range []struct {
			tag  int
			byte byte
		}{{MaxTag - 1, 2}, {MaxTag, 1}, {AnyTag, 3}} {
			p := []byte{0}
			if _, err := c.Recv(p, 0, want.tag); err != nil || p[0] != want.byte {
				return fmt.Errorf("tag %d: message %d, error %w; want message %d", want.tag, p[0], err, want.byte)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLargestKeys: colors and keys are numbers of 32 bits.
func TestLargestKeys(t *testing.T) {
	err := run(inproc.New(inproc.Config{}), 2, Options{}, func(c *Comm) error {
		key := []int{math.MaxInt32, math.MinInt32}[c.Rank()]
		part, err := c.Split(math.MaxInt32, key)
		if err != nil || part.Size() != 2 || part.Rank() != 1-c.Rank() {
			return fmt.Errorf("rank %d, key %d: %+v, %w", c.Rank(), key, part, err)
		}
		for _, wrong := range [][2]int{{math.MaxInt32 + 1, 0}, {0, math.MaxInt32 + 1}, {0, math.MinInt32 - 1}} {
			if _, err := c.Split(wrong[0], wrong[1]); err == nil {
				return fmt.Errorf("color and key %v are accepted", wrong)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLargestControl: a packet has a kind below kinds and a size of at most MaxBytes.
func TestLargestControl(t *testing.T) {
	for c, valid := range map[control]bool{
		{kind: kinds - 1}: true, {kind: kinds}: false, {kind: 1}: true, {}: false,
		{kind: 1, size: MaxBytes}: true, {kind: 1, size: MaxBytes + 1}: false,
	} {
		b := c.encode()
		if got, err := decode(&b); (err == nil) != valid || valid && got != c {
			t.Errorf("%+v arrives as %+v, %v; want it valid: %t", c, got, err, valid)
		}
	}
}

// blockLink is a link that is only asked for the size of its blocks.
type blockLink struct {
	Link
	block int
}

func (l blockLink) Block() int { return l.block }

// TestSmallestBlocks: a link needs blocks of minBlock bytes, and a port Writes of one.
func TestSmallestBlocks(t *testing.T) {
	for block, valid := range map[int]bool{minBlock: true, minBlock - 1: false} {
		err := inproc.New(inproc.Config{}).Run(t.Context(), 1, func(h dimmnet.Host) error {
			_, err := Start(h, Options{Link: blockLink{block: block}})
			return err
		})
		if (err == nil) != valid {
			t.Errorf("blocks of %d bytes: %v; want them valid: %t", block, err, valid)
		}
	}
	for block, valid := range map[int]bool{1: true, 0: false} {
		limits := dimmnet.Limits{Store: wordBytes, Block: block, LLCM: 1 << 16}
		if _, err := newLayout(limits, 2, Options{}); (err == nil) != valid {
			t.Errorf("Writes of %d bytes: %v; want them valid: %t", block, err, valid)
		}
	}
}

// TestEndOfWindow: an access of no bytes at the end of a window is permitted, and of one byte is
// not.
func TestEndOfWindow(t *testing.T) {
	err := run(inproc.New(inproc.Config{}), 2, Options{}, func(c *Comm) error {
		w, err := c.NewWindow(make([]byte, 8))
		if err != nil {
			return err
		}
		if err := errors.Join(w.Fence(), w.Put(nil, 0, 8), w.Get(nil, 1, 8), w.Put([]byte{1}, 0, 7), w.Fence()); err != nil {
			return err
		}
		if err := w.Put([]byte{1}, 0, 8); err == nil {
			return errors.New("a byte behind the end is accepted")
		}
		return w.Free()
	})
	if err != nil {
		t.Error(err)
	}
}
