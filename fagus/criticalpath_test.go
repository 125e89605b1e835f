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

// TestCriticalPathLive: on real networks there is a path, too. It is about as long as the run, as
// ranks begin at different times, and has the computing of both ranks.
func TestCriticalPathLive(t *testing.T) {
	nets := map[string]dimmnet.Network{"inproc": goroutines()}
	if shm.Supported() == nil {
		nets["shm"], nets["tcp"] = shm.New(shm.Config{Heap: 1 << 20}), tcp.New(tcp.Config{})
	}
	for name, net := range nets {
		for _, mode := range modes {
			r := succeed(t, fagus.Config{Nodes: 2, Mode: mode, Net: net, Timeline: true}, func(n *fagus.Node) error {
				for round := range 4 {
					if round%2 == n.Rank() {
						time.Sleep(20 * time.Millisecond)
					}
					if err := n.Barrier(); err != nil {
						return err
					}
				}
				return nil
			})
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
			if compute := r.Critical[fagus.PartCompute]; total > r.Slowest()*3/2 || compute < 79*fagus.Millisecond {
				t.Errorf("%s, %v mode: %v of %v are on the path of %v: want the sleeping of both ranks, 80 ms", name, mode, compute, total, r.Slowest())
			}
		}
	}
}
