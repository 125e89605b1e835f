//go:build unix

package consistency_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
)

// TestEndOfSpace fills the address space to its end with regions of 64 TiB, whose memory must not
// be touched, and moves ranges at their ends.
func TestEndOfSpace(t *testing.T) {
	const size = 1 << 46
	mem := porttest.Untouched(t, size)
	s, end := consistency.NewSpace(), consistency.Addr(0)
	add := func(n int) (consistency.Addr, error) {
		base, err := s.AddRegion(fmt.Sprint("up from ", end), "bytes", 1, mem[:n])
		if err == nil {
			end = base + consistency.Addr(n)
		}
		return base, err
	}
	for i := range 4 {
		n := size
		if i == 3 { // the fourth does not fit
			if _, err := add(n); err == nil || !strings.Contains(err.Error(), "70368744177664 bytes do not fit the address space") {
				t.Fatalf("a region up to %#x and beyond: %v", uint64(consistency.MaxAddr), err)
			}
			n = consistency.MaxAddr - int(end) - consistency.PageBytes
			n &^= consistency.PageBytes - 1
		}
		base, err := add(n)
		if err != nil {
			t.Fatal(err)
		}
		id, err := s.Bind(fmt.Sprint("v", i), []consistency.Range{{Lo: base, Hi: end}})
		if err != nil {
			t.Fatal(err)
		}
		wrote := []consistency.Range{{Lo: base, Hi: base + 8}, {Lo: base + 1<<32 - 8, Hi: base + 1<<32 + 8}, {Lo: end - 9000, Hi: end}}
		declared, err := s.Declare(id, wrote)
		if err != nil {
			t.Fatal(err)
		}
		s.BeginWrite(id, declared)
		s.EndWrite(id, 1)
		var got []consistency.Range
		for _, c := range s.Stream(id, 0, 1, consistency.PageBytes).Cuts {
			if n := len(got); n > 0 && got[n-1].Hi == c.Lo {
				got[n-1].Hi = c.Hi
			} else {
				got = append(got, c.Range)
			}
			if guard, bytes, err := s.Guard(c.Range); guard != id || len(bytes) != c.Len() || err != nil {
				t.Errorf("the guard of %+v is %d, with %d bytes: %v", c, guard, len(bytes), err)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(wrote) {
			t.Errorf("the stream has %+v, want %+v", got, wrote)
		}
		if bytes, _ := s.Extent(id); bytes != n {
			t.Errorf("the variable guards %d bytes, want %d", bytes, n)
		}
	}
	if end != consistency.MaxAddr {
		t.Errorf("the last region ends at %#x", uint64(end))
	}
	if _, err := add(1); err == nil {
		t.Error("a region behind the address space: no error")
	}
}
