package host_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// TestDeferredCallsKeepTheirOrder: ranks post words to all ranks and write notes at the same
// instants. The trace is the one of threads that wait for each other.
func TestDeferredCallsKeepTheirOrder(t *testing.T) {
	var traces [2][]sim.Record
	for i, spin := range []bool{true, false} {
		w, err := sim.New(sim.Config{Spin: spin, Trace: func(r sim.Record) { traces[i] = append(traces[i], r) }})
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
	if len(traces[0]) == 0 || !slices.EqualFunc(traces[0], traces[1], func(a, b sim.Record) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("%d records, but %d of threads that wait, or others", len(traces[1]), len(traces[0]))
	}
}
