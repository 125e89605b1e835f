//go:build linux

package shm

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestWholePages checks that shared memory begins at a page, whatever was allocated before, and
// that the heap has room for as many allocations as pages.
func TestWholePages(t *testing.T) {
	sizes := []int{1, pageBytes - 1, pageBytes, pageBytes + 1, 100}
	err := New(Config{Heap: 6 * pageBytes}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port().(*port)
		for i, n := range sizes {
			views := make([][]byte, 1)
			var err error
			if i%2 == 0 {
				views[0], err = p.Share(n)
			} else {
				views, err = p.View(n)
			}
			if err != nil {
				return err
			}
			for _, b := range views {
				if at := uintptr(unsafe.Pointer(&b[0])); at%pageBytes != 0 || len(b) != n {
					return fmt.Errorf("allocation %d: %d bytes at %#x, want %d bytes at a page", i, len(b), at, n)
				}
			}
		}
		if _, err := p.Share(1); err == nil {
			return fmt.Errorf("a page more than the heap has is allocated")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
