package fagus_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// particle is an element with padding and a field that is an array.
type particle struct {
	kind     uint8
	position [3]float64
	charge   float32
}

// handOver makes an array that rank 0 fills and rank 1 reads.
func handOver[T comparable](t *testing.T, value T) {
	t.Helper()
	succeed(t, fagus.Config{Nodes: 2, Net: newSim(t, sim.Config{})}, func(n *fagus.Node) error {
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
				set = n.Set(fagus.Want(v, []fagus.Access{fagus.Exclusive, fagus.Shared}[turn]))
			}
			if err := tenure(n, set, func() {
				for i := range a.Slice() {
					if turn == 0 && n.Rank() == 0 {
						a.Slice()[i] = value
					}
				}
			}); err != nil {
				return err
			}
		}
		var zero T
		if n.Rank() == 1 && (a.Slice()[9] != zero || a.Slice()[10] != value || a.Slice()[999] != value) {
			t.Errorf("%T: rank 1 has %v, %v and %v as elements 9, 10 and 999, want %v, %v and %v", value,
				a.Slice()[9], a.Slice()[10], a.Slice()[999], zero, value, value)
		}
		return nil
	})
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
	for want, program := range map[string]func(*fagus.Node) error{
		"a ptr cannot be shared":             makes[*int],
		"a slice cannot be shared":           makes[[2][]byte],
		"parts.List (in shared memory)":      makes[map[string]string],
		"field next: a ptr cannot be shared": makes[struct{ next *int }],
		"values of size 0 cannot be shared":  makes[struct{}],
		"a uintptr cannot be shared":         makes[uintptr],
	} {
		if _, err := runFor(t, fagus.Config{Nodes: 1}, program); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that contains %q", err, want)
		}
	}
}

// makes is a program that makes an array of elements of type T.
func makes[T any](n *fagus.Node) error {
	_, err := fagus.NewArray[T](n, "a", 1)
	return err
}

// TestOnlyChangesMove counts the bytes that move when little of a large array changes.
func TestOnlyChangesMove(t *testing.T) {
	report := succeed(t, fagus.Config{Nodes: 2, Net: newSim(t, sim.Config{})}, func(n *fagus.Node) error {
		a, v, err := guarded[uint64](n, 10_000)
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(v, fagus.Exclusive))
		for range 10 { // both ranks request the variable, so they take turns
			if err := tenure(n, set, func() { a.Slice()[5000]++ }); err != nil {
				return err
			}
		}
		if err := n.Update(); err != nil {
			return err
		}
		if got := a.Slice()[5000]; got != 20 {
			t.Errorf("rank %d sees %d, want 20", n.Rank(), got)
		}
		return nil
	})
	var c dimmnet.Counters
	transfers := uint64(0)
	for _, r := range report.Ranks {
		c = c.Plus(r.Messages())
		transfers += r.Transfers
	}
	if transfers != 20 || c.Bytes > 5000 {
		t.Errorf("%d transfers of %d bytes in all, want 20 transfers of at most 5000 bytes", transfers, c.Bytes)
	}
}

// TestEachRankGetsWhatItLacks: two ranks that have different versions of an array fetch it. Rank 1
// lacks one page, rank 2 lacks all pages.
func TestEachRankGetsWhatItLacks(t *testing.T) {
	const pages, words = 10, 512
	var slots uint64
	succeed(t, fagus.Config{Nodes: 3, Net: newSim(t, sim.Config{}), Transfer: fagus.Rings}, func(n *fagus.Node) error {
		a, v, err := guarded[uint64](n, pages*words)
		if err != nil {
			return err
		}
		requests := [4][3]fagus.Access{ // by turn and rank
			{fagus.Exclusive, 0, 0},
			{0, fagus.Shared, 0},
			{fagus.Exclusive, 0, 0},
			{0, fagus.Shared, fagus.Shared},
		}
		for turn, ranks := range requests {
			set := n.Set()
			if access := ranks[n.Rank()]; access != 0 {
				set = n.Set(fagus.Want(v, access))
			}
			before := n.Stats().Slots
			if err := tenure(n, set, func() {
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
					t.Errorf("rank %d has not received all pages", n.Rank())
				}
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if slots != 1+pages {
		t.Errorf("rank 0 sent %d slots in the last phase, want %d", slots, 1+pages)
	}
}

// TestLongLists acquires irregular sets of many variables. The lists that ranks exchange are
// far longer than all slots of a ring together.
func TestLongLists(t *testing.T) {
	const vars = 3000
	net := inproc.New(inproc.Config{LLCM: 1000})
	succeed(t, fagus.Config{Nodes: 3, Net: net}, func(n *fagus.Node) error {
		a, err := fagus.NewArray[uint16](n, "a", vars)
		if err != nil {
			return err
		}
		var requests [2][]fagus.Request // [0] writes this rank's elements, [1] reads all elements
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
			if err := n.During(n.Set(r...), func() error {
				for i := range vars {
					if turn == 0 && i*i%7%3 == n.Rank() {
						a.Slice()[i] = uint16(i)
					} else if turn == 1 && a.Slice()[i] != uint16(i) {
						return fmt.Errorf("element %d is %d, want %d", i, a.Slice()[i], i)
					}
				}
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestEarlierRequestIsGrantedFirst: rank 2 already waits for a variable when rank 1 requests
// it, too. By the rotation of ranks alone rank 1 would be next.
func TestEarlierRequestIsGrantedFirst(t *testing.T) {
	var turn [3]int64
	succeed(t, fagus.Config{Nodes: 3, Net: newSim(t, sim.Config{})}, func(n *fagus.Node) error {
		a, v, err := guarded[int64](n, 1)
		if err != nil {
			return err
		}
		sets := []*fagus.SyncSet{n.Set(fagus.Want(v, fagus.Exclusive))}
		if n.Rank() == 1 {
			sets = []*fagus.SyncSet{n.Set(), sets[0]}
		}
		for i, set := range sets {
			if err := tenure(n, set, func() {
				if i == len(sets)-1 {
					a.Slice()[0]++
					turn[n.Rank()] = a.Slice()[0]
				}
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if turn != [3]int64{1, 3, 2} {
		t.Errorf("the ranks have turns %v, want 1 3 2", turn)
	}
}
