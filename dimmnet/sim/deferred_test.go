package sim

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestDeferredCallsKeepTheirOrder: ranks post words to all ranks and write notes at the same
// instants. The trace is the one of threads that wait for each other.
func TestDeferredCallsKeepTheirOrder(t *testing.T) {
	var traces [2][]Record
	for i, spin := range []bool{true, false} {
		w, err := New(Config{Spin: spin, Trace: func(r Record) { traces[i] = append(traces[i], r) }})
		if err != nil {
			t.Fatal(err)
		}
		err = w.Run(t.Context(), 5, func(h dimmnet.Host) error {
			p := h.Port()
			for round := range uint64(20) {
				for dst := range dimmnet.Rank(5) {
					h.Note("post", round)
					if !p.Store(dst, 8*dimmnet.Offset(p.Rank()), round, 8) {
						return fmt.Errorf("rank %d, round %d: Store returned false", p.Rank(), round)
					}
				}
				p.Multicast([]dimmnet.Rank{0, 3, 4}, 64, round, 4)
				for rank := range dimmnet.Offset(5) {
					for p.Load(8*rank) < round {
						h.Spend(10 * dimmnet.Nanosecond)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(traces[0]) == 0 || !slices.EqualFunc(traces[0], traces[1], func(a, b Record) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("%d records, but %d of threads that wait, or others", len(traces[1]), len(traces[0]))
	}
}

// TestPastIsSeen: a thread that is behind a word that has landed reads the old word, whole or in
// part, and misses the arrival, until its clock has come to the landing.
func TestPastIsSeen(t *testing.T) {
	th := &thread{now: 90, node: &node{memory: newLLCM(64), arrivals: 5}}
	n := th.node
	n.memory.store(16, 0x1111111111111111, 8)
	k := &kernel{flight: 1}
	if !k.keepPast(n, &packet{kind: kindStore, off: 20, size: 4}, 100) {
		t.Fatal("keepPast returned false")
	}
	n.memory.store(20, 0x22222222, 4)
	n.arrivals++
	look := func() string {
		wide, narrow := make([]byte, 12), make([]byte, 2)
		n.read(wide, 10)
		n.read(narrow, 21)
		return fmt.Sprintf("%x %x %x %x %d", n.load(16), n.load(24), wide, narrow, n.seen())
	}
	th.catchUp()
	if got, want := look(), "1111111111111111 0 000000000000111111111111 1111 5"; got != want {
		t.Errorf("before the landing: %s, want %s", got, want)
	}
	th.now = 100
	th.catchUp()
	if got, want := look(), "2222222211111111 0 000000000000111111112222 2222 6"; got != want {
		t.Errorf("after the landing: %s, want %s", got, want)
	}
	if k.keepPast(n, &packet{kind: kindBlock, off: 16, size: 8, block: make([]byte, 8)}, 200) {
		t.Error("keepPast returned true for a block")
	}
}
