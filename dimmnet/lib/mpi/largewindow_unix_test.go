//go:build unix

package mpi

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
)

// TestLargeWindow makes windows of the largest size, and of one byte more. No memory is used.
func TestLargeWindow(t *testing.T) {
	mem := porttest.Untouched(t, MaxBytes+1)
	for n, want := range map[int]string{MaxBytes: "", MaxBytes + 1: "mpi: make a window of 2147483648 bytes: want at most 2147483647"} {
		err := run(inproc.New(inproc.Config{}), 2, Options{}, func(c *Comm) error {
			w, err := c.NewWindow(mem[:n])
			if err != nil {
				return err
			}
			return w.Free()
		})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("a window of %d bytes: %v", n, err)
		}
	}
}
