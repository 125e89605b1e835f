package dimmnet_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// rankOnly is the Host and the Port of rank 3.
type rankOnly struct{ dimmnet.Host }

type rankOnlyPort struct{ dimmnet.Port }

func (rankOnly) Port() dimmnet.Port     { return rankOnlyPort{} }
func (rankOnlyPort) Rank() dimmnet.Rank { return 3 }

// TestReason checks which text of a failure goes to other processes: the whole text of an error,
// even of several lines, and the first line of a panic.
func TestReason(t *testing.T) {
	boom := errors.New("boom\nsecond line")
	const panicked = "net: rank 3:helper panicked: "
	for _, c := range []struct {
		name  string
		body  func() error
		shown string // Reason of the error that the other ports show
		stack bool   // the errors contain a stack
	}{
		{"an error", func() error { return boom }, "net: rank 3:helper failed: boom\nsecond line", false},
		{"a panic with an error", func() error { panic(boom) }, panicked + "boom", true},
		{"a panic with a number", func() error { panic(4711) }, panicked + "4711", true},
		{"an index", func() error { var s []int; return errors.New(fmt.Sprint(s[len(s)])) }, panicked + "runtime error: index out of range [0] with length 0", true},
	} {
		dimmnet.RunThread("net", "helper", rankOnly{}, func(dimmnet.Host) error { return c.body() }, func(cause, shown error) {
			if got := dimmnet.Reason(shown); got != c.shown {
				t.Errorf("%s: the others learn %q, want %q", c.name, got, c.shown)
			}
			if got := dimmnet.Reason(fmt.Errorf("outer: %w", shown)); got != "outer: "+c.shown {
				t.Errorf("%s: the others learn of a wrapped error %q, want outer: %q", c.name, got, c.shown)
			}
			for _, err := range []error{cause, shown} {
				if strings.Contains(err.Error(), "body_test.go:") != c.stack {
					t.Errorf("%s: %v: contains a stack: want %t", c.name, err, c.stack)
				}
				if _, frames, found := strings.Cut(err.Error(), " [running]:\n"); found != c.stack || found && !strings.HasPrefix(frames, "github.com/fagus-dsm/fagus/dimmnet_test.TestReason.func") {
					t.Errorf("%s: %v: its stack does not begin where the body has panicked", c.name, err)
				}
				if strings.Contains(c.shown, "boom") && !errors.Is(err, boom) {
					t.Errorf("%s: %v does not wrap the error", c.name, err)
				}
			}
		})
	}
}
