package checkpoint_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// private is a program without shared arrays: squares are divided among the ranks, all ranks have
// the same list, and each has a part of the sum.
type private struct{ items, steps, stop int }

func (p private) run(n *fagus.Node) (squares []uint64, list []int32, sum uint64, err error) {
	lo, hi := p.items*n.Rank()/n.Nodes(), p.items*(n.Rank()+1)/n.Nodes()
	squares, list = make([]uint64, hi-lo), make([]int32, p.steps)
	other := make([]uint64, hi-lo)
	fagus.Keep(n, "squares", &squares, lo, p.items)
	fagus.KeepCopy(n, "list", &list)
	fagus.KeepEach(n, "sum", func() []byte { return binary.LittleEndian.AppendUint64(nil, sum) }, func(b []byte) error {
		sum += binary.LittleEndian.Uint64(b)
		return nil
	})
	resumed := 0
	n.OnResume(func() { resumed++ })
	if n.Resume() != (resumed == 1) {
		return nil, nil, 0, fmt.Errorf("OnResume: %d calls", resumed)
	}
	for step := range n.Steps(p.steps) {
		for i, x := range squares {
			other[i] = x + uint64((lo+i)*(step+1))
		}
		squares, other = other, squares // Keep has a pointer to the slice
		list[step] = int32(10 * step)
		sum += uint64((hi - lo) * step)
		if step == p.stop {
			return nil, nil, 0, errStopped
		}
	}
	return squares, list, sum, n.Err()
}

// TestKeep: private memory is correct after a resume on another number of ranks, from the last
// checkpoint, or from the one before if that is damaged.
func TestKeep(t *testing.T) {
	for _, damage := range []bool{false, true} {
		for _, before := range []int{1, 2, 3, 5} {
			for _, after := range []int{1, 2, 3, 7} {
				t.Run(fmt.Sprintf("%d to %d, damage %v", before, after, damage), func(t *testing.T) {
					testKeep(t, before, after, damage)
				})
			}
		}
	}
}

func testKeep(t *testing.T, before, after int, damage bool) {
	dir := t.TempDir()
	run := func(nodes, stop int, program func(*fagus.Node, private) error) error {
		store, err := checkpoint.OpenDirectory(dir)
		if err != nil {
			t.Fatal(err)
		}
		keeper := checkpoint.New(checkpoint.Config{Store: store})
		defer keeper.Close()
		_, err = fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Checkpoints: keeper}, func(n *fagus.Node) error {
			return program(n, private{items: 40, steps: 6, stop: stop})
		})
		return err
	}
	err := run(before, 4, func(n *fagus.Node, p private) error { _, _, _, err := p.run(n); return err })
	if !errors.Is(err, errStopped) {
		t.Fatalf("the first run: %v", err)
	}
	if damage {
		// Other parts can be read: only some ranks find the damage.
		if err := os.Truncate(filepath.Join(dir, fmt.Sprintf("c%08d-%05d.part", 4, before-1)), 20); err != nil {
			t.Fatal(err)
		}
	}
	sums, items := make([]uint64, after), make([]int, after)
	err = run(after, -1, func(n *fagus.Node, p private) error {
		squares, list, sum, err := p.run(n)
		if err != nil {
			return err
		}
		lo := p.items * n.Rank() / n.Nodes()
		for i, x := range squares {
			if want := uint64((lo + i) * 21); x != want {
				t.Errorf("rank %d: squares[%d] is %d: want %d", n.Rank(), lo+i, x, want)
			}
		}
		if want := []int32{0, 10, 20, 30, 40, 50}; fmt.Sprint(list) != fmt.Sprint(want) {
			t.Errorf("rank %d: list %v: want %v", n.Rank(), list, want)
		}
		sums[n.Rank()], items[n.Rank()] = sum, len(squares)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := uint64(0)
	for _, sum := range sums {
		all += sum
	}
	if want := uint64(40 * 15); all != want {
		t.Errorf("sums %v of %v items: %d, want %d", sums, items, all, want)
	}
}

// TestKeepMistakes: wrong arguments are errors.
func TestKeepMistakes(t *testing.T) {
	for what, keep := range map[string]func(*fagus.Node){
		"the elements 3 to 7 of 7": func(n *fagus.Node) { x := make([]int, 5); fagus.Keep(n, "x", &x, 3, 7) },
		"cannot be shared":         func(n *fagus.Node) { x := make([]string, 5); fagus.Keep(n, "x", &x, 0, 5) },
	} {
		store, err := checkpoint.OpenDirectory(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		keeper := checkpoint.New(checkpoint.Config{Store: store})
		_, err = fagus.Run(t.Context(), fagus.Config{Nodes: 1, Checkpoints: keeper}, func(n *fagus.Node) error {
			keep(n)
			return n.Err()
		})
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("error %v: want %q", err, what)
		}
		_ = keeper.Close()
	}
}
