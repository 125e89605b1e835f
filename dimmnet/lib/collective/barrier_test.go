package collective_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/collective"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// sizes returns node counts with full and partial groups on up to three levels.
func sizes() []int { return []int{1, 2, 3, 7, 8, 9, 20, 64, 65, 100} }

// TestBarrier checks that no rank leaves a barrier before all have entered. There are enough
// barriers for the byte that is sent to wrap around.
func TestBarrier(t *testing.T) {
	const barriers = 300
	for _, nodes := range sizes() {
		var entered atomic.Int64
		run(t, newInproc(), nodes, func(_ dimmnet.Host, g *collective.Group) error {
			for i := range int64(barriers) {
				entered.Add(1)
				if err := g.Barrier(); err != nil {
					return err
				}
				if n := entered.Load(); n < (i+1)*int64(nodes) {
					return fmt.Errorf("left barrier %d after %d entries", i, n)
				}
			}
			return nil
		})
		if n := entered.Load(); n != barriers*int64(nodes) {
			t.Errorf("%d nodes: %d entries", nodes, n)
		}
	}
}

// TestBarrierInVirtualTime checks that the last entry of each barrier precedes the first exit,
// and that nothing else delays the exits.
func TestBarrierInVirtualTime(t *testing.T) {
	const barriers, seed = 40, 7
	for _, nodes := range append(sizes(), 600) {
		for _, delays := range []uint64{0, seed, seed + 1} {
			entry, exit := make([]dimmnet.Time, barriers), make([]dimmnet.Time, barriers)
			last := make([]dimmnet.Time, barriers)
			run(t, newSim(t, sim.Config{Seed: delays}), nodes, func(h dimmnet.Host, g *collective.Group) error {
				random := rand.New(rand.NewPCG(seed, uint64(h.Port().Rank())))
				for i := range barriers {
					h.Spend(dimmnet.Time(random.IntN(20)) * dimmnet.Microsecond)
					entry[i] = max(entry[i], h.Now())
					if err := g.Barrier(); err != nil {
						return err
					}
					if exit[i] == 0 {
						exit[i] = h.Now()
					}
					exit[i], last[i] = min(exit[i], h.Now()), max(last[i], h.Now())
				}
				return nil
			})
			for i := range barriers {
				if exit[i] < entry[i] {
					t.Fatalf("%d nodes, seed %d, barrier %d: a rank left at %v, another entered at %v", nodes, delays, i, exit[i], entry[i])
				}
				if took := last[i] - entry[i]; delays == 0 && took > 25*dimmnet.Microsecond {
					t.Errorf("%d nodes, barrier %d: the exit is %v after the last entry", nodes, i, took)
				}
			}
		}
	}
}

// TestBarrierByMulticast checks that a level takes one packet if the port reaches 7 ranks at
// once. If the port reaches fewer, only levels with as few children do.
func TestBarrierByMulticast(t *testing.T) {
	const barriers = 20
	for _, nodes := range sizes() {
		for _, limit := range []int{3, 7} {
			var multicasts, stores int
			run(t, porttest.Wrap(newSim(t, sim.Config{Seed: 1}), porttest.Multicasting(limit)), nodes, func(h dimmnet.Host, g *collective.Group) error {
				for range barriers {
					if err := g.Barrier(); err != nil {
						return err
					}
				}
				p := h.Port().(*porttest.Multicaster)
				multicasts += p.Multicasts
				stores += int(p.Counters().Stores) - p.Multicasts + p.Reached
				return nil
			})
			want := 0
			for span := 1; span < nodes; span *= 8 {
				for home := 0; home < nodes; home += 8 * span {
					if children := min(7, (nodes-1-home)/span); children > 1 && children <= limit {
						want++
					}
				}
			}
			if multicasts != want*barriers {
				t.Errorf("%d nodes, limit %d: %d multicasts in %d barriers, want %d each", nodes, limit, multicasts, barriers, want)
			}
			if stores != 2*(nodes-1)*barriers { // one for each rank that a multicast reaches
				t.Errorf("%d nodes: %d stores in %d barriers", nodes, stores, barriers)
			}
		}
	}
}

// TestHighestLevelFirst checks that rank 0 of 65 releases 64, then 8 to 56, then 1 to 7.
func TestHighestLevelFirst(t *testing.T) {
	var order []dimmnet.Rank
	wrap := func(p dimmnet.Port) dimmnet.Port {
		if p.Rank() == 0 {
			return recordingPort{p, &order}
		}
		return p
	}
	network := porttest.Wrap(porttest.Wrap(newSim(t, sim.Config{}), porttest.Multicasting(0)), wrap)
	run(t, network, 65, func(_ dimmnet.Host, g *collective.Group) error { return g.Barrier() })
	want := []dimmnet.Rank{64, 8, 16, 24, 32, 40, 48, 56, 1, 2, 3, 4, 5, 6, 7}
	if !slices.Equal(order, want) {
		t.Errorf("rank 0 releases %v, want %v", order, want)
	}
}

// recordingPort records the destinations of stores.
type recordingPort struct {
	dimmnet.Port
	order *[]dimmnet.Rank
}

func (p recordingPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	*p.order = append(*p.order, dst)
	return p.Port.Store(dst, off, v, size)
}

// TestTurn checks that Turn is called once before a rank posts to its parent and once before it
// posts to its children.
func TestTurn(t *testing.T) {
	const calls = 5
	tests := []struct {
		nodes int
		want  []int // by rank, for each call
	}{
		{1, []int{0}},
		{2, []int{1, 1}},
		{10, []int{1, 1, 1, 1, 1, 1, 1, 1, 2, 1}},
	}
	for _, test := range tests {
		turns := make([]int, test.nodes)
		err := newSim(t, sim.Config{}).Run(t.Context(), test.nodes, func(h dimmnet.Host) error {
			rank := h.Port().Rank()
			g, err := collective.New(h.Port(), base, collective.Config{Turn: func() { turns[rank]++ }})
			for i := 0; i < calls && err == nil; i++ {
				if err = g.Barrier(); err == nil {
					_, err = collective.Reduce(g, float64(i), collective.Sum)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for rank := range turns {
			if turns[rank] != 2*calls*test.want[rank] {
				t.Errorf("%d nodes, rank %d: %d turns in %d calls, want %d each", test.nodes, rank, turns[rank], 2*calls, test.want[rank])
			}
		}
	}
}

// TestTurnIsCharged checks that the time that each of two ranks spends in Turn is on the
// critical path of every barrier.
func TestTurnIsCharged(t *testing.T) {
	const barriers = 10
	took := func(work dimmnet.Time) (end dimmnet.Time) {
		network := newSim(t, sim.Config{Env: "D"})
		err := network.Run(t.Context(), 2, func(h dimmnet.Host) error {
			g, err := collective.New(h.Port(), base, collective.Config{Turn: func() { h.Spend(work) }})
			for i := 0; i < barriers && err == nil; i++ {
				err = g.Barrier()
			}
			end = max(end, h.Now())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return end
	}
	const poll = 173 * dimmnet.Nanosecond // environment D: depends on the phase of the polls
	idle, busy := took(0), took(dimmnet.Microsecond)
	if more := busy - idle; more < barriers*(2*dimmnet.Microsecond-2*poll) || more > barriers*(2*dimmnet.Microsecond+2*poll) {
		t.Errorf("%d barriers with 1 us a turn took %v, without %v", barriers, busy, idle)
	}
}

// BenchmarkBarrier measures the barrier of two goroutines.
func BenchmarkBarrier(b *testing.B) {
	b.ReportAllocs()
	var total atomic.Int64 // of barriers, once it is known
	run(b, inproc.New(inproc.Config{}), 2, func(h dimmnet.Host, g *collective.Group) error {
		if h.Port().Rank() == 0 {
			n := int64(0)
			for ; b.Loop(); n++ {
				if err := g.Barrier(); err != nil {
					return err
				}
			}
			total.Store(n + 1) // the other rank may already be in one more
			return g.Barrier()
		}
		for n := int64(0); n == 0 || n != total.Load(); n++ {
			if err := g.Barrier(); err != nil {
				return err
			}
		}
		return nil
	})
}
