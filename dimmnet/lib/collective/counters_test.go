package collective

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// TestCountsAcrossEnds makes barriers across 2^8, whose counts have one byte, and sums of 4-byte
// numbers across 2^32, whose counts have four bytes.
func TestCountsAcrossEnds(t *testing.T) {
	const (
		first  = 1<<32 - 5
		before = 0x9c9c9c9c9c9c9c9c // of the barrier: the count 256-100 in every byte
	)
	for _, nodes := range []int{2, 9, 70} {
		err := inproc.New(inproc.Config{}).Run(t.Context(), nodes, func(h dimmnet.Host) error {
			p := h.Port()
			g, err := New(p, 0, Config{})
			if err != nil {
				return err
			}
			// Every entry has the count of the previous call.
			r := &g.reduction
			inboxes := []inbox{r.above}
			for _, level := range r.below {
				inboxes = append(inboxes, level...)
			}
			for _, in := range inboxes {
				p.Store(p.Rank(), in.at[flagged], first<<32, dimmnet.WordBytes)
			}
			r.counts[flagged] = first
			g.barrier.count = 256 - 100
			for level := range g.tree.below {
				p.Store(p.Rank(), g.area.counts(level), before, dimmnet.WordBytes)
			}
			p.Store(p.Rank(), g.area.counts(g.tree.level), before, dimmnet.WordBytes)
			if err := meet(h); err != nil { // no rank posts before all are prepared
				return err
			}
			for round := range uint32(200) {
				if err := g.Barrier(); err != nil {
					return err
				}
				if round%20 != 0 {
					continue
				}
				sum, err := Reduce(g, round, Sum)
				if err == nil && sum != round*uint32(nodes) {
					err = fmt.Errorf("%d ranks with %d add up to %d", nodes, round, sum)
				}
				if err != nil {
					return err
				}
			}
			if r.counts[flagged] != first+10 {
				return fmt.Errorf("%d reductions", r.counts[flagged]-first)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d nodes: %v", nodes, err)
		}
	}
}

// meet waits for all ranks, by a group at another place.
func meet(h dimmnet.Host) error {
	g, err := New(h.Port(), 1<<15, Config{})
	if err != nil {
		return err
	}
	return g.Barrier()
}
