//go:build unix

package mpi

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
)

// TestLargeMessage announces a message of the largest size, and one byte more. No memory is used.
func TestLargeMessage(t *testing.T) {
	mem := porttest.Untouched(t, MaxBytes+1)
	announced := errors.New("announced")
	err := run(inproc.New(inproc.Config{}), 2, Options{}, func(c *Comm) error {
		if c.Rank() == 1 {
			_, err := c.Probe(0, 0)
			return err
		}
		if _, err := c.Isend(mem, 1, 0); err == nil || !strings.Contains(err.Error(), "send 2147483648 bytes: want at most 2147483647") {
			return fmt.Errorf("one byte too many: %w", err)
		}
		if _, err := c.Isend(mem[:MaxBytes], 1, 0); err != nil {
			return err
		}
		return announced // nobody receives it
	})
	if !errors.Is(err, announced) {
		t.Error(err)
	}
}
