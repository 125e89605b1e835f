package fagus_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// TestProgress: a reader outside of the ranks sees what the loops of Steps and Rounds and a Queue
// report, and, after the first call of Progress, only what the program says.
func TestProgress(t *testing.T) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		for _, simulated := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, simulated %v", mode, simulated), func(t *testing.T) {
				var net dimmnet.Network
				if simulated {
					s, err := sim.New(sim.Config{})
					if err != nil {
						t.Fatal(err)
					}
					net = s
				}
				var last atomic.Pointer[rollcall.Progress]
				cfg := fagus.Config{Nodes: 2, Net: net, Mode: mode}
				cfg.RollCall.Every, cfg.RollCall.Progress = time.Millisecond, func(p rollcall.Progress) { last.Store(&p) }
				if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error { return progresses(n, &last) }); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// progresses reports progress in all ways. Rank 0 computes until it is seen.
func progresses(n *fagus.Node, last *atomic.Pointer[rollcall.Progress]) (err error) {
	see := func(done, of int64) {
		_ = n.Barrier() // errors stick
		for begun := time.Now(); n.Rank() == 0 && err == nil; time.Sleep(100 * time.Microsecond) {
			p := last.Load()
			if p != nil && p.Done == done && p.Of == of && p.Ranks == 2 {
				break
			}
			if time.Since(begun) > 10*time.Second {
				err = fmt.Errorf("the progress is %+v, want %d of %d", p, done, of)
			}
		}
		_ = n.Barrier()
	}
	for i := range n.Steps(4) {
		for range n.Steps(9) { // what is within a loop does not count
		}
		n.DefaultProgress(5, 6)
		if i == 2 {
			see(2, 4)
		}
	}
	see(4, 4)
	for range n.Rounds(10) { // of one round
		n.DefaultProgress(3, 12)
		see(3, 12)
	}
	see(10, 10)
	q, failed := parts.NewQueue(n, "queue", 70, 10)
	if failed != nil {
		return failed
	}
	if failed := q.Each(func(int) error { return nil }, parts.Results{}); failed != nil {
		return failed
	}
	see(7, 7)
	for range n.Steps(8) {
		n.Progress(1+2*n.Rank(), 10+20*n.Rank()) // own parts, which add up
	}
	see(4, 40)
	if err != nil {
		return err
	}
	return n.Err()
}
