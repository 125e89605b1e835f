package fagus_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestThreadedUpdateEndsBeforeTheNextWrite: rank 0 has little to update and writes immediately
// afterwards. Rank 1 has much to update, and must not see that write.
func TestThreadedUpdateEndsBeforeTheNextWrite(t *testing.T) {
	const vars, rounds = 40, 3
	all := locked()
	all["sim"] = fagus.Config{Net: newSim(t, sim.Config{}), Mode: fagus.Threaded}
	all["udp"] = fagus.Config{Net: newSim(t, sim.Config{UDP: &sim.UDP{}}), Mode: fagus.Threaded}
	for name, cfg := range all {
		cfg.Nodes = 2
		_, err := runFor(t, cfg, func(n *fagus.Node) error {
			a, guards, err := counters(n, vars)
			if err != nil {
				return err
			}
			last := n.Set(fagus.Want(guards[vars-1], fagus.Exclusive))
			if n.Rank() == 1 {
				if err := touch(n, n.Set(wantAll(guards, fagus.Shared)...)); err != nil {
					return err
				}
			}
			write := func() error {
				if n.Rank() > 0 {
					return nil
				}
				return tenure(n, last, func() { a.Slice()[vars-1]++ })
			}
			for round := range int64(rounds) {
				if err := n.Barrier(); err != nil {
					return err
				}
				if err := write(); err != nil {
					return err
				}
				if err := n.Update(); err != nil {
					return err
				}
				if got := a.Slice()[vars-1]; got != 2*round+1 {
					return fmt.Errorf("round %d: rank %d sees write %d, want %d", round, n.Rank(), got, 2*round+1)
				}
				if err := write(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// wantAll returns requests for all variables.
func wantAll(guards []*fagus.SyncVar, access fagus.Access) (list []fagus.Request) {
	for _, v := range guards {
		list = append(list, fagus.Want(v, access))
	}
	return list
}

// TestThreadedManyVariables releases more variables at once than fit into the send queue and into
// the table of owners.
func TestThreadedManyVariables(t *testing.T) {
	const nodes, vars, rounds = 3, 200, 2
	all := locked()
	all["virtual time"] = fagus.Config{Net: newSim(t, sim.Config{Limit: 100 * dimmnet.Second}), Mode: fagus.Threaded}
	// The table of owners has 125 entries.
	all["small rings"] = fagus.Config{Net: inproc.New(inproc.Config{LLCM: 4000}), Mode: fagus.Threaded, Helpers: true}
	for name, cfg := range all {
		cfg.Nodes = nodes
		_, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
			a, guards, err := counters(n, vars)
			if err != nil {
				return err
			}
			readers, writers := n.Set(wantAll(guards, fagus.Shared)...), n.Set(wantAll(guards, fagus.Exclusive)...)
			for range rounds {
				if err := errors.Join(n.Acquire(readers), n.Release(readers), n.Acquire(writers)); err != nil {
					return err
				}
				for i := range a.Slice() {
					a.Slice()[i]++
				}
				if err := n.Release(writers); err != nil {
					return err
				}
			}
			if err := n.Update(); err != nil {
				return err
			}
			for i, x := range a.Slice() {
				if x != nodes*rounds {
					return fmt.Errorf("a[%d] = %d, want %d", i, x, nodes*rounds)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestThreadedFailsWhileSending: a program may return while its helper thread still copies from the
// memory of its arrays.
func TestThreadedFailsWhileSending(t *testing.T) {
	boom := errors.New("boom")
	all := helped()
	all["virtual time"] = fagus.Config{Net: newSim(t, sim.Config{Limit: 100 * dimmnet.Second}), Mode: fagus.Threaded}
	for name, cfg := range all {
		cfg.Nodes = 2
		for sent := range uint64(8) {
			_, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
				a, v, err := guarded[byte](n, 4<<20)
				if err != nil {
					return err
				}
				set := n.Set(fagus.Want(v, fagus.Exclusive).Writing(a.All()))
				if n.Rank() == 1 {
					// If rank 0 is late, all has been sent before it fails.
					return errors.Join(n.Barrier(), touch(n, set))
				}
				if err := errors.Join(touch(n, set), n.Barrier()); err != nil {
					return err
				}
				for s := n.Stats(); s.Slots <= 2*sent && n.Err() == nil; s = n.Stats() {
					n.Spend(10 * fagus.Microsecond)
				}
				return boom
			})
			if !errors.Is(err, boom) {
				t.Errorf("%s, failing after %d slots: error %v, want %v", name, 2*sent, err, boom)
			}
		}
	}
}

// TestThreadedNoticesSaveCPU: with notices the receive thread sleeps until it is notified, and
// then polls each ring a few times, however long the user thread computes on the only CPU.
// Without notices it polls all the time.
func TestThreadedNoticesSaveCPU(t *testing.T) {
	const rounds = 50
	for _, notices := range []bool{false, true} {
		preset, err := presets.Load("fagus2")
		if err != nil {
			t.Fatal(err)
		}
		preset.Host.CPUs = 1
		cfg := fagus.Config{Nodes: 3, Net: newSim(t, sim.Config{Preset: &preset, Limit: 100 * dimmnet.Second}), Mode: fagus.Threaded, Notices: notices}
		report := succeed(t, cfg, func(n *fagus.Node) error {
			// Slots of ranks 1 and 2 reach rank 0 together, before their notices.
			for range rounds {
				if err := n.Barrier(); err != nil {
					return err
				}
				n.Spend(fagus.Millisecond)
			}
			return nil
		})
		for r, s := range report.Ranks {
			c := s.Messages()
			if few := c.Polls < 20*rounds; few != notices {
				t.Errorf("notices are %v, but rank %d polled %d times in %d rounds", notices, r, c.Polls, rounds)
			}
		}
	}
}

// TestThreadedSendsWhatIsNewer: a rank that has an old version of a variable receives only the
// bytes written since that version, and receives nothing after a tenure that wrote nothing.
func TestThreadedSendsWhatIsNewer(t *testing.T) {
	const size, few = 100_000, 10
	report, err := runThreaded(t, 2, inproc.Config{}, func(n *fagus.Node) error {
		a, v, err := guarded[byte](n, size)
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(v, fagus.Exclusive))
		// These are the numbers of bytes that ranks 0 and 1 write in turn.
		for turn, written := range []int{size, few, 0, 0, few, 0} {
			if turn%2 == n.Rank() {
				if err := tenure(n, set, func() {
					for i := range written {
						a.Slice()[i]++
					}
				}); err != nil {
					return err
				}
			}
			if err := n.Barrier(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// Rank 0 has sent all bytes once and a few bytes once, rank 1 a few bytes once.
	r0, r1 := report.Ranks[0], report.Ranks[1]
	pieces := uint64(size/4096 + 1)
	if r0.Transfers != 2 || r0.Slots < pieces+1 || r0.Slots > pieces+5 || r1.Transfers != 1 || r1.Slots != 1 {
		t.Errorf("rank 0 made %d transfers in %d slots, rank 1 %d in %d; the whole array takes %d slots", r0.Transfers, r0.Slots, r1.Transfers, r1.Slots, pieces)
	}
}
