//go:build linux

package tcp

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// onDemand is a configuration in which no run connects all ranks at the start.
func onDemand() Config { return Config{Direct: -1} }

func TestPortOnDemand(t *testing.T) {
	longtest.Third(t)
	t.Parallel()
	porttest.Run(t, func() dimmnet.Network { return New(Config{Direct: -1, LLCM: 24001, Bulk: 70001}) })
}

// startDemand is startApart with connections on demand.
func startDemand(cfg func(rank dimmnet.Rank) Config, nodes int, body func(dimmnet.Host) error) (results []chan error) {
	m := meshtest.NewMeeting(nodes)
	for rank := range dimmnet.Rank(nodes) {
		results = append(results, meshtest.Start(Join(cfg(rank), meshtest.Member{At: m, Self: rank}), nodes, body))
	}
	return results
}

// connections returns how many peers the rank of a host is connected to.
func connections(h dimmnet.Host) int { return h.Port().(dimmnet.Connected).Connections() }

// TestCrossing checks that all ranks can connect to all others at once: the two ranks of each pair
// dial each other, and one connection remains.
func TestCrossing(t *testing.T) {
	for _, encrypt := range []bool{false, true} {
		nodes := dimmnet.Rank(24)
		if encrypt {
			nodes = 12 // handshakes of TLS take long with the race detector
		}
		t.Run(fmt.Sprintf("encrypt=%t", encrypt), func(t *testing.T) {
			a := meshtest.NewAuthority(t, int(nodes))
			results := startDemand(func(rank dimmnet.Rank) Config {
				cfg := onDemand()
				if encrypt {
					cfg.Identity = meshtest.Issue(t, a, rank)
				}
				return cfg
			}, int(nodes), func(h dimmnet.Host) error {
				for round := uint64(1); round <= 3; round++ {
					if err := meshtest.Barrier(h.Port(), round); err != nil {
						return err
					}
				}
				if n := connections(h); n != int(nodes)-1 {
					return fmt.Errorf("rank %d has %d connections, want %d", h.Port().Rank(), n, nodes-1)
				}
				return nil
			})
			for rank, result := range results {
				if err := meshtest.Result(t, result); err != nil {
					t.Errorf("rank %d: %v", rank, err)
				}
			}
		})
	}
}

// TestFewConnections checks that ranks in a ring are connected to their neighbours in the ring and
// in the tree, and to no other.
func TestFewConnections(t *testing.T) {
	const nodes, rounds = 20, 5
	err := New(onDemand()).Run(t.Context(), nodes, func(h dimmnet.Host) error {
		p := h.Port()
		want := map[dimmnet.Rank]bool{}
		for r := range dimmnet.Rank(nodes) {
			if r != p.Rank() && ((int(r)-1)/8 == int(p.Rank()) && r > 0 || p.Rank() > 0 && (p.Rank()-1)/8 == r) {
				want[r] = true
			}
		}
		left, right := (p.Rank()+nodes-1)%nodes, (p.Rank()+1)%nodes
		want[left], want[right] = true, true
		for round := uint64(1); round <= rounds; round++ {
			for i, peer := range []dimmnet.Rank{left, right} {
				post := func() bool { return p.Store(peer, dimmnet.Offset(i)*8, round, 8) }
				if err := meshtest.Post(p, post); err != nil {
					return err
				}
			}
			if err := dimmnet.Drive(p, meshtest.Still{}, func() bool { return p.Load(0) >= round && p.Load(8) >= round }); err != nil {
				return err
			}
		}
		if n := connections(h); n != len(want) {
			return fmt.Errorf("rank %d has %d connections, want %d", p.Rank(), n, len(want))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLastWord checks that the last post of a rank reaches a peer without a connection although all
// other ranks have ended. A rank that has ended serves a Pull of such a peer.
func TestLastWord(t *testing.T) {
	const nodes, from, to = 20, 19, 11
	for round := range 10 {
		results := startDemand(func(dimmnet.Rank) Config { return onDemand() }, nodes, func(h dimmnet.Host) error {
			p := h.Port()
			switch p.Rank() {
			case from:
				// The other ranks end before that, or not.
				time.Sleep(time.Duration(round) * 3 * time.Millisecond)
				p.Store(to, 0, 7, 8)
				if !p.Pull(to-1, 64, 128, 8, 136) {
					return errors.New("the Pull is refused")
				}
				return dimmnet.Drive(p, meshtest.Still{}, func() bool { return p.Load(136) == 8 })
			case to:
				_, err := meshtest.Await(p, 7)
				return err
			}
			return nil
		})
		for rank, result := range results {
			if err := meshtest.Result(t, result); err != nil {
				t.Fatalf("round %d, rank %d: %v", round, rank, err)
			}
		}
	}
}

// TestFailureOverTree checks that a failure reaches ranks without a connection to the rank that has
// failed.
func TestFailureOverTree(t *testing.T) {
	const nodes, failing = 24, 13
	boom := errors.New("boom")
	results := startDemand(func(dimmnet.Rank) Config { return onDemand() }, nodes, func(h dimmnet.Host) error {
		if h.Port().Rank() == failing {
			return boom
		}
		return dimmnet.Drive(h.Port(), meshtest.Still{}, func() bool { return false })
	})
	for rank, result := range results {
		err := meshtest.Result(t, result)
		var f *dimmnet.Failed
		if rank == failing && err != boom || rank != failing && (!errors.As(err, &f) || f.Rank != failing || f.Why != "boom") {
			t.Errorf("rank %d: Run returned %v, want that rank %d failed with boom", rank, err, failing)
		}
	}
}

// TestUnreachable checks that a run fails within bounded time if a rank cannot connect to another,
// with an error that names both and the address.
func TestUnreachable(t *testing.T) {
	const nodes = 12
	results := startDemand(func(rank dimmnet.Rank) Config {
		cfg := onDemand()
		cfg.Joining = 2 * time.Second
		if rank == 11 {
			cfg.Reach = []string{"192.0.2.1"} // no host has this address
		}
		return cfg
	}, nodes, func(h dimmnet.Host) error {
		if h.Port().Rank() == 5 {
			h.Port().Store(11, 0, 1, 8)
		}
		return dimmnet.Drive(h.Port(), meshtest.Still{}, func() bool { return false })
	})
	for rank, result := range results {
		err := meshtest.Result(t, result)
		if err == nil || !strings.Contains(err.Error(), "rank 11") || !strings.Contains(err.Error(), "192.0.2.1") {
			t.Errorf("rank %d: Run returned %v, want an error that names rank 11 and its address", rank, err)
		}
	}
}

// TestSilenceWithoutConnection checks that no rank takes another for lost because there is no
// connection to it.
func TestSilenceWithoutConnection(t *testing.T) {
	t.Parallel()
	results := startDemand(func(dimmnet.Rank) Config {
		cfg := onDemand()
		cfg.Joining, cfg.Stall = 2*time.Second, time.Second
		return cfg
	}, 12, func(dimmnet.Host) error {
		time.Sleep(3 * time.Second)
		return nil
	})
	for rank, result := range results {
		if err := meshtest.Result(t, result); err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestDeathWithoutConnection checks that all ranks learn that a process was killed or stopped,
// whether or not they are connected to it.
func TestDeathWithoutConnection(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(signal.String(), func(t *testing.T) {
			const nodes, victim = 14, 10
			orders := make([]meshtest.Order, nodes)
			for i := range orders {
				orders[i].Direct, orders[i].Ring = -1, true
			}
			all := meshtest.StartJob(t, orders, func(_ int, start func() error) error { return start() })
			time.Sleep(300 * time.Millisecond) // lets each rank send a beat
			all[victim].Signal(t, signal)
			for _, p := range all {
				if p.Rank == victim {
					continue
				}
				if s := p.Next(t); !strings.Contains(s.Error, fmt.Sprintf("rank %d", victim)) {
					t.Errorf("rank %d: %+v, want an error that names rank %d", p.Rank, s, victim)
				}
			}
		})
	}
}
