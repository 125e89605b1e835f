package fagus_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
)

// ledger is what a library attaches to a node.
type ledger struct {
	node *fagus.Node
	sums int
}

type ledgerKey struct{}

func ledgerOf(n *fagus.Node) *ledger {
	return n.Attached(ledgerKey{}, func() any { return &ledger{node: n} }).(*ledger)
}

// End compares the sums of all ranks.
func (l *ledger) End() error {
	most, err := fagus.Reduce(l.node, l.sums, func(a, b int) int { return max(a, b) })
	if err == nil && most != l.sums {
		err = errors.New("ledger: ranks differ")
	}
	return err
}

func (l *ledger) String() string { return fmt.Sprintf("ledger with %d", l.sums) }

// TestAttached: a library finds its value again, its End is called and may meet, and errors about
// different calls mention it.
func TestAttached(t *testing.T) {
	for _, c := range []struct {
		name    string
		program func(n *fagus.Node) error
		want    string
	}{
		{"same", func(n *fagus.Node) error {
			for range 3 {
				ledgerOf(n).sums++
			}
			if got := ledgerOf(n).sums; got != 3 {
				return fmt.Errorf("%d after three calls", got)
			}
			return nil
		}, ""},
		{"different", func(n *fagus.Node) error {
			ledgerOf(n).sums = n.Rank()
			return nil
		}, "ledger: ranks differ"},
		{"failed", func(n *fagus.Node) error {
			ledgerOf(n).sums = n.Rank()
			return errors.New("the program failed")
		}, "the program failed"},
		{"other calls", func(n *fagus.Node) error {
			ledgerOf(n).sums = 7 + n.Rank()
			if n.Rank() == 1 {
				return n.Update()
			}
			return n.Barrier()
		}, "in ledger with 8"},
		{"missing", func(n *fagus.Node) error {
			if n.Rank() == 0 {
				ledgerOf(n)
			}
			return nil
		}, "Reduce"},
	} {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			_, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Mode: mode}, c.program)
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %v mode: error %v, want %q", c.name, mode, err, c.want)
			}
		}
	}
}

// TestElements: the bytes of an array serve for elements of other types.
func TestElements(t *testing.T) {
	if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[byte](n, "a", 100)
		if err != nil {
			return err
		}
		x, err := fagus.Elements[float64](a, 12)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.Range(8, 16))
		if err != nil {
			return err
		}
		if n.Rank() == 1 {
			if err := n.Set(v.Write()).Do(func() { x[1] = 2.5 }); err != nil {
				return err
			}
		}
		if err := n.Barrier(); err != nil {
			return err
		}
		if err := n.Set(v.Read()).Do(func() {
			if x[1] != 2.5 {
				t.Errorf("rank %d reads %v, want 2.5", n.Rank(), x[1])
			}
		}); err != nil {
			return err
		}
		for _, length := range []int{-1, 13} {
			if _, err := fagus.Elements[float64](a, length); err == nil || !strings.Contains(err.Error(), "want at most the 100 bytes") {
				t.Errorf("%d elements of 8 bytes: error %v", length, err)
			}
		}
		if _, err := fagus.Elements[*int](a, 1); err == nil || !strings.Contains(err.Error(), "cannot be shared") {
			t.Errorf("pointers: error %v", err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
