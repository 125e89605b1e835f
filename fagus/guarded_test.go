package fagus_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

// TestGuarded adds up in an array of NewGuarded, and keeps a Copy that outlives the run.
func TestGuarded(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		var result []int32
		succeed(t, fagus.Config{Nodes: 3, Mode: mode}, func(n *fagus.Node) error {
			x := fagus.NewGuarded[int32](n, "x", 4)
			if x.Len() != 4 || x.Name() != "x" || x.Var.Name() != "x" {
				t.Errorf("array %q of %d elements, variable %q: want x, 4, x", x.Name(), x.Len(), x.Var.Name())
			}
			n.Set(x.Write()).Do(func() {
				for i := range x.Slice() {
					x.Slice()[i] += int32(i * (n.Rank() + 1))
				}
			})
			n.Barrier()
			if n.Rank() == 2 {
				return n.Set(x.Read()).Do(func() { result = x.Copy() })
			}
			return n.Set().Do(func() {})
		})
		if want := []int32{0, 6, 12, 18}; !slices.Equal(result, want) {
			t.Errorf("%v mode: %v, want %v", mode, result, want)
		}
	}
}

// TestErrorsStick checks that a program that checks no error ends with the first one.
func TestErrorsStick(t *testing.T) {
	first := `rank 1: NewArray "x": 0 elements`
	calls := 0
	_, err := runFor(t, fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		x := fagus.NewGuarded[int](n, "x", 1-n.Rank())
		if n.Rank() == 0 {
			return n.Barrier()
		}
		set := n.Set(x.Write())
		_, reduced := fagus.Reduce(n, 1, addInts)
		_, array := fagus.NewArray[int](n, "y", 1)
		_, bound := n.Bind("y")
		for _, err := range []error{
			n.Err(), reduced, array, bound, n.Acquire(set), set.Do(func() { t.Error("Do calls its function after an error") }),
			n.Release(set), n.Update(), n.Barrier(), n.Fence(), n.Wrote(), context.Cause(n.Context()),
		} {
			if calls++; err == nil || !strings.Contains(err.Error(), first) {
				t.Errorf("error %d: %v, want one that contains %q", calls, err, first)
			}
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), first) || calls != 12 {
		t.Errorf("after %d calls: %v, want an error that contains %q", calls, err, first)
	}
}

// TestPanicAfterError checks that the error that caused a panic is named first.
func TestPanicAfterError(t *testing.T) {
	_, err := runFor(t, fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		x := fagus.NewGuarded[func()](n, "x", 1)
		x.Slice()[0]()
		return nil
	})
	want := `fagus: rank 0: NewArray "x": elements of type func(): a func cannot be shared: use numbers, and arrays and structs of them; ` +
		`the program went on, and panicked at fagus/guarded_test.go:`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}

// TestPanicNamesLine checks that an error that a program panics with stays in the chain of errors.
func TestPanicNamesLine(t *testing.T) {
	reason := errors.New("out of paper")
	_, err := runFor(t, fagus.Config{Nodes: 1}, func(*fagus.Node) error { panic(reason) })
	if !errors.Is(err, reason) || !strings.Contains(err.Error(), "rank 0 panicked: fagus/guarded_test.go:") {
		t.Errorf("%v: want the line of the panic, and the error", err)
	}
}

// TestContextEnds checks when the context of a rank is done.
func TestContextEnds(t *testing.T) {
	type key struct{}
	var after context.Context
	ctx := context.WithValue(t.Context(), key{}, 7)
	_, err := fagus.Run(ctx, fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		after = n.Context()
		if n.Context().Err() != nil || n.Context().Value(key{}) != 7 {
			t.Errorf("error %v, value %v: want none, and 7", n.Context().Err(), n.Context().Value(key{}))
		}
		return nil
	})
	if err != nil || after.Err() == nil {
		t.Errorf("run %v; when the program has returned, the context's error is %v", err, after.Err())
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = fagus.Run(ctx, fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		cancel()
		<-n.Context().Done()
		return n.Barrier()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}
