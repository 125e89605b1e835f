package fagus_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// particle is an element with padding inside and a field that is an array.
type particle struct {
	kind     uint8
	position [3]float64
	charge   float32
}

// handOver makes an array at both ranks, lets rank 0 fill it and rank 1 read.
func handOver[T comparable](t *testing.T, value T) {
	t.Helper()
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2, Net: newSim(t, sim.Config{})}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[T](n, "a", 1000)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.Range(10, 1000))
		if err != nil {
			return err
		}
		for turn := range 2 {
			set := n.Set()
			if turn == n.Rank() {
				set = n.Set(fagus.Want(v, []fagus.Mode{fagus.Exclusive, fagus.Shared}[turn]))
			}
			if err := n.Acquire(set); err != nil {
				return err
			}
			if turn == 0 && n.Rank() == 0 {
				for i := range a.Slice() {
					a.Slice()[i] = value
				}
			}
			if err := n.Release(set); err != nil {
				return err
			}
		}
		var zero T
		if n.Rank() == 1 && (a.Slice()[9] != zero || a.Slice()[10] != value || a.Slice()[999] != value) {
			t.Errorf("%T: rank 1 sees %v %v %v", value, a.Slice()[9], a.Slice()[10], a.Slice()[999])
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestElementTypes(t *testing.T) {
	handOver(t, uint8(3))
	handOver(t, int32(-5))
	handOver(t, 2.5)
	handOver(t, complex64(1+2i))
	handOver(t, [5]int16{1, 2, 3, 4, 5})
	handOver(t, particle{kind: 1, position: [3]float64{1, 2, 3}, charge: -1})
}

func TestPointersAreRefused(t *testing.T) {
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		check := func(err error, want string) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
		_, err := fagus.NewArray[*int](n, "a", 1)
		check(err, "a ptr cannot be shared")
		_, err = fagus.NewArray[[2][]byte](n, "a", 1)
		check(err, "a slice cannot be shared")
		_, err = fagus.NewArray[struct{ next *int }](n, "a", 1)
		check(err, "field next: a ptr cannot be shared")
		_, err = fagus.NewArray[struct{}](n, "a", 1)
		check(err, "it has no size")
		_, err = fagus.NewArray[uintptr](n, "a", 1)
		check(err, "a uintptr cannot be shared")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOnlyChangesMove counts what a hand-over of an array costs when little of
// it was changed.
func TestOnlyChangesMove(t *testing.T) {
	report, err := fagus.Run(context.Background(), fagus.Config{Nodes: 2, Net: newSim(t, sim.Config{})}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[uint64](n, "a", 10_000)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.All())
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(v, fagus.Exclusive))
		for range 10 { // the ranks take turns: both ask, one waits
			if err := n.Acquire(set); err != nil {
				return err
			}
			a.Slice()[5000]++
			if err := n.Release(set); err != nil {
				return err
			}
		}
		if err := n.Update(); err != nil {
			return err
		}
		if got := a.Slice()[5000]; got != 20 {
			t.Errorf("rank %d sees %d", n.Rank(), got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var c dimmnet.Counters
	transfers := uint64(0)
	for _, r := range report.Ranks {
		c = c.Plus(r.Messages())
		transfers += r.Transfers
	}
	if transfers != 20 || c.Bytes > 5000 {
		t.Errorf("%d transfers, %d bytes in all; the array has 80000", transfers, c.Bytes)
	}
}

// TestEachGetsWhatItLacks lets two ranks fetch with different versions in hand:
// rank 1 lacks one page, rank 2 all of them.
func TestEachGetsWhatItLacks(t *testing.T) {
	const pages, words = 10, 512
	var slots uint64
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 3, Net: newSim(t, sim.Config{}), Transfer: fagus.Rings}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[uint64](n, "a", pages*words)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.All())
		if err != nil {
			return err
		}
		modes := [4][3]fagus.Mode{ // by turn and rank
			{fagus.Exclusive, 0, 0},
			{0, fagus.Shared, 0},
			{fagus.Exclusive, 0, 0},
			{0, fagus.Shared, fagus.Shared},
		}
		for turn, mode := range modes {
			set := n.Set()
			if m := mode[n.Rank()]; m != 0 {
				set = n.Set(fagus.Want(v, m))
			}
			before := n.Stats().Slots
			if err := n.Acquire(set); err != nil {
				return err
			}
			if n.Rank() == 0 {
				slots = n.Stats().Slots - before
			}
			switch {
			case turn == 0 && n.Rank() == 0:
				for i := range a.Slice() {
					a.Slice()[i] = 1
				}
			case turn == 2 && n.Rank() == 0:
				for i := range words {
					a.Slice()[3*words+i] = 2
				}
			case turn == 3 && n.Rank() > 0 && (a.Slice()[0] != 1 || a.Slice()[3*words] != 2 || a.Slice()[4*words-1] != 2 || a.Slice()[4*words] != 1):
				t.Errorf("rank %d has not got everything", n.Rank())
			}
			if err := n.Release(set); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if slots != 1+pages {
		t.Errorf("rank 0 sent %d slots in the last phase, want 1 and %d", slots, pages)
	}
}

// TestLongLists acquires irregular sets of many variables, whose lists are far
// longer than all slots of a ring together.
func TestLongLists(t *testing.T) {
	const vars = 3000
	net := inproc.New(inproc.Config{LLCM: 1000})
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 3, Net: net}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[uint16](n, "a", vars)
		if err != nil {
			return err
		}
		var requests [2][]fagus.Request // to write what is mine, then to read everything
		for i := range vars {
			v, err := n.Bind(fmt.Sprintf("v%d", i), a.Range(i, i+1))
			if err != nil {
				return err
			}
			if i*i%7%3 == n.Rank() {
				requests[0] = append(requests[0], fagus.Want(v, fagus.Exclusive))
			}
			requests[1] = append(requests[1], fagus.Want(v, fagus.Shared))
		}
		for turn, r := range requests {
			set := n.Set(r...)
			if err := n.Acquire(set); err != nil {
				return err
			}
			for i := range vars {
				if turn == 0 && i*i%7%3 == n.Rank() {
					a.Slice()[i] = uint16(i)
				} else if turn == 1 && a.Slice()[i] != uint16(i) {
					return fmt.Errorf("element %d is %d", i, a.Slice()[i])
				}
			}
			if err := n.Release(set); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhoAskedFirst lets rank 2 wait for a variable when rank 1 asks for it, too.
// By the rotation of ranks alone it would be rank 1's turn.
func TestWhoAskedFirst(t *testing.T) {
	var turn [3]int64
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 3, Net: newSim(t, sim.Config{})}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[int64](n, "turns", 1)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.All())
		if err != nil {
			return err
		}
		sets := []*fagus.SyncSet{n.Set(fagus.Want(v, fagus.Exclusive))}
		if n.Rank() == 1 {
			sets = []*fagus.SyncSet{n.Set(), sets[0]}
		}
		for i, set := range sets {
			if err := n.Acquire(set); err != nil {
				return err
			}
			if i == len(sets)-1 {
				a.Slice()[0]++
				turn[n.Rank()] = a.Slice()[0]
			}
			if err := n.Release(set); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || turn != [3]int64{1, 3, 2} {
		t.Errorf("turns %v, error %v, want 1 3 2", turn, err)
	}
}
