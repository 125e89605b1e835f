//go:build unix

package sendrecv

import (
	"errors"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest"
)

// TestLargeMessage begins to send a message of the largest size, and one byte more. No memory is
// used.
func TestLargeMessage(t *testing.T) {
	mem := porttest.Untouched(t, MaxBytes+1)
	p := &fakePort{limits: dimmnet1(), nodes: 2}
	e, err := New(p, Config{})
	if err != nil {
		t.Fatal(err)
	}
	p.layout = &e.layout
	if err := e.Send(1, mem); err == nil || !strings.Contains(err.Error(), "send 2147483648 bytes to rank 1: want at most 2147483647") {
		t.Errorf("one byte too many: %v", err)
	}
	if err := e.Send(1, mem[:MaxBytes]); !errors.Is(err, errScript) {
		t.Errorf("the largest message: %v, want that the peer says nothing", err)
	}
}
