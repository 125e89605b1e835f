package fagus_test

import (
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestCriticalPath: the path has the computing of the rank that holds up the others in each round,
// and none of their waiting, whatever call they wait in.
func TestCriticalPath(t *testing.T) {
	const rounds, long, short = 6, 10 * fagus.Millisecond, fagus.Millisecond
	for _, c := range []struct {
		what    string
		round   func(n *fagus.Node, v *fagus.SyncVar) error
		compute fagus.Time // on the path
	}{
		{"barrier", func(n *fagus.Node, v *fagus.SyncVar) error { return n.Barrier() }, rounds * long},
		{"update", func(n *fagus.Node, v *fagus.SyncVar) error { return n.Update() }, rounds * long},
		{"a lock", func(n *fagus.Node, v *fagus.SyncVar) error {
			// The ranks compute one after the other while they hold the lock: 10 ms and twice 1 ms.
			return tenure(n, n.Set(v.Write().Unordered()), func() { n.Spend(short) })
		}, 0},
	} {
		for _, mode := range modes {
			net := newSim(t, sim.Config{})
			r := succeed(t, fagus.Config{Nodes: 3, Mode: mode, Net: net, Timeline: true}, func(n *fagus.Node) error {
				_, v, err := guarded[int64](n, 1)
				if err != nil {
					return err
				}
				for round := range rounds {
					n.Spend(short)
					if round%3 == n.Rank() { // in each round another
						n.Spend(long - short)
					}
					if err := c.round(n, v); err != nil {
						return err
					}
				}
				return nil
			})
			if r.Critical == nil {
				t.Fatalf("%s, %v mode: no critical path", c.what, mode)
			}
			var total fagus.Time
			for _, part := range r.Critical {
				total += part
			}
			if total != r.Slowest() {
				t.Errorf("%s, %v mode: the path takes %v, the run %v", c.what, mode, total, r.Slowest())
			}
			compute := r.Critical[fagus.PartCompute]
			if c.compute > 0 && compute != c.compute {
				t.Errorf("%s, %v mode: %v of computing are on the path %v, want %v", c.what, mode, compute, r.Critical, c.compute)
			}
			if calls := total - compute; calls > total/15 {
				t.Errorf("%s, %v mode: calls take %v of %v: the path contains waiting: %v", c.what, mode, calls, total, r.Critical)
			}
		}
	}
}

// TestCriticalPathLive: on real networks the path is as long as the run, or as the measured section
// of the rank that took longest, and has the computing of both ranks. On a busy machine the clocks
// of processes do not agree well.
func TestCriticalPathLive(t *testing.T) {
	nets := map[string]dimmnet.Network{"inproc": goroutines()}
	if shm.Supported() == nil {
		nets["shm"], nets["tcp"] = shm.New(shm.Config{Heap: 1 << 20}), tcp.New(tcp.Config{})
	}
	for name, net := range nets {
		for _, mode := range modes {
			for _, measure := range []bool{false, true} {
				program := func(n *fagus.Node) error {
					for round := range 4 {
						if round%2 == n.Rank() {
							time.Sleep(20 * time.Millisecond)
						}
						if err := n.Barrier(); err != nil {
							return err
						}
					}
					return nil
				}
				r := succeed(t, fagus.Config{Nodes: 2, Mode: mode, Net: net, Timeline: true}, func(n *fagus.Node) error {
					if !measure {
						return program(n)
					}
					time.Sleep(time.Duration(n.Rank()) * 10 * time.Millisecond)
					_, err := n.Measure(func() error { return program(n) })
					return err
				})
				slowest := r.Slowest()
				if measure {
					slowest = max(r.Ranks[0].MeasuredTotal(), r.Ranks[1].MeasuredTotal())
				}
				if r.Critical == nil {
					t.Fatalf("%s, %v mode: no critical path", name, mode)
				}
				var total fagus.Time
				for _, part := range r.Critical {
					if part < 0 {
						t.Errorf("%s, %v mode: %v", name, mode, r.Critical)
					}
					total += part
				}
				if compute := r.Critical[fagus.PartCompute]; total != slowest || compute < 39*fagus.Millisecond {
					t.Errorf("%s, %v mode: %v of %v are on the path of %v: want half of the sleeping of both ranks, 80 ms, or more", name, mode, compute, total, slowest)
				}
			}
		}
	}
}

// TestCriticalPathSections: the path is about the measured sections if all ranks have one. They may
// begin at different times. A section within a section belongs to the outer one.
func TestCriticalPathSections(t *testing.T) {
	meet := func(n *fagus.Node) error {
		n.Spend(10 * fagus.Millisecond)
		return n.Barrier()
	}
	for what, c := range map[string]struct {
		program func(n *fagus.Node) error
		compute fagus.Time // on the path; 0: no path
	}{
		"rank 0 comes late": {func(n *fagus.Node) error {
			if n.Rank() == 0 {
				n.Spend(50 * fagus.Millisecond)
			}
			_, err := n.Measure(func() error { return meet(n) })
			return err
		}, 60 * fagus.Millisecond},
		"one within the other": {func(n *fagus.Node) error {
			_, err := n.Measure(func() error {
				_, err := n.Measure(func() error { return meet(n) })
				return err
			})
			return err
		}, 10 * fagus.Millisecond},
		"one of two ranks": {func(n *fagus.Node) error {
			if n.Rank() == 1 {
				return meet(n)
			}
			_, err := n.Measure(func() error { return meet(n) })
			return err
		}, 0},
		"two in a row": {func(n *fagus.Node) error {
			for range 2 {
				if _, err := n.Measure(func() error { return meet(n) }); err != nil {
					return err
				}
			}
			return nil
		}, 0},
	} {
		r := succeed(t, fagus.Config{Nodes: 2, Net: newSim(t, sim.Config{}), Timeline: true}, c.program)
		switch {
		case r.Critical == nil && c.compute > 0 || r.Critical != nil && c.compute == 0:
			t.Errorf("%s: the path is %v, want %v of computing", what, r.Critical, c.compute)
		case r.Critical != nil:
			var total, longest fagus.Time
			for _, part := range r.Critical {
				total += part
			}
			for i := range r.Ranks {
				longest = max(longest, r.Ranks[i].MeasuredTotal())
			}
			if total != longest || r.Critical[fagus.PartCompute] != c.compute {
				t.Errorf("%s: the path %v takes %v, the longest section %v; want %v of computing", what, r.Critical, total, longest, c.compute)
			}
		}
	}
}
