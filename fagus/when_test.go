package fagus_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// whenNetworks returns what the tests of AcquireWhen run on.
func whenNetworks(t *testing.T) map[string]func() dimmnet.Network {
	nets := map[string]func() dimmnet.Network{
		"goroutines": goroutines,
		"sim":        func() dimmnet.Network { return newSim(t, sim.Config{Limit: 100 * dimmnet.Second}) },
	}
	if shm.Supported() == nil {
		nets["shm"] = func() dimmnet.Network { return shm.New(shm.Config{Heap: 1 << 20}) }
		nets["tcp"] = func() dimmnet.Network { return tcp.New(tcp.Config{}) }
	}
	return nets
}

// onWhen calls test for all of them, and in each way of granting variables.
func onWhen(t *testing.T, test func(t *testing.T, cfg fagus.Config)) {
	for name, network := range whenNetworks(t) {
		for mode, cfg := range engines() {
			t.Run(name+"/"+mode, func(t *testing.T) {
				cfg.Net = network()
				test(t, cfg)
			})
		}
	}
}

// TestWhenAllWait: a run in which every rank waits for a change, or has returned, or waits for all
// ranks, fails, and says so.
func TestWhenAllWait(t *testing.T) {
	for _, others := range []string{"wait", "return", "barrier"} {
		onWhen(t, func(t *testing.T, cfg fagus.Config) {
			t.Parallel() // it mostly waits for roll-calls
			cfg.Nodes = 3
			cfg.RollCall = rollcall.Config{After: 100 * time.Millisecond, To: func(r rollcall.Roll) { t.Log(r) }}
			_, err := runFor(t, cfg, func(n *fagus.Node) error {
				x := fagus.NewGuarded[int64](n, "x", 1)
				switch {
				case n.Rank() == 0 || others == "wait":
					return n.Set(x.Write()).DoWhen(func() bool { return x.Slice()[0] > 0 }, func() {})
				case others == "barrier":
					return n.Barrier()
				}
				return nil
			})
			if !errors.Is(err, dimmnet.ErrDeadlock) {
				t.Errorf("the others %s: error %v, want a deadlock", others, err)
			}
		})
	}
}

// TestWhenSeveralVariables: a set may have variables besides the one for whose change the rank
// waits. It holds none of them while it waits.
func TestWhenSeveralVariables(t *testing.T) {
	onWhen(t, func(t *testing.T, cfg fagus.Config) {
		cfg.Nodes, cfg.Check = 3, fagus.CheckOn
		const rounds = 10
		_, err := runFor(t, cfg, func(n *fagus.Node) error {
			turn, sum := fagus.NewGuarded[int64](n, "turn", 1), fagus.NewGuarded[int64](n, "sum", 1)
			set := n.Set(turn.Write(), sum.Write())
			for i := range rounds {
				ready := func() bool { return turn.Slice()[0] == int64(i*n.Nodes()+n.Rank()) }
				set.DoWhen(ready, func() {
					sum.Slice()[0] = 2*sum.Slice()[0]%1000003 + int64(n.Rank())
					turn.Slice()[0]++
				})
			}
			want := int64(0)
			for i := range rounds * n.Nodes() {
				want = 2*want%1000003 + int64(i%n.Nodes())
			}
			n.Barrier()
			return n.Set(sum.Read()).Do(func() {
				if got := sum.Slice()[0]; got != want {
					t.Errorf("rank %d sees %d, want %d", n.Rank(), got, want)
				}
			})
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestWhenManyWait: a change wakes all ranks that wait for it, more than a word has bits.
func TestWhenManyWait(t *testing.T) {
	for mode, cfg := range engines() {
		cfg.Nodes, cfg.Net = 70, goroutines()
		_, err := runFor(t, cfg, func(n *fagus.Node) error {
			x := fagus.NewGuarded[int64](n, "x", 1)
			if n.Rank() > 0 {
				return n.Set(x.Read()).DoWhen(func() bool { return x.Slice()[0] == 1 }, func() {})
			}
			time.Sleep(10 * time.Millisecond) // most of the others wait
			return n.Set(x.Write()).Do(func() { x.Slice()[0] = 1 })
		})
		if err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// TestWhenOwnerIsIdle: a rank waits for a change of one of two variables. Their owner has had them
// a few times just before, changes nothing, and makes no further call. A third rank changes one.
func TestWhenOwnerIsIdle(t *testing.T) {
	onWhen(t, func(t *testing.T, cfg fagus.Config) {
		for tenures := range int(cases(60, 20)) {
			cfg.Nodes = 3
			report, err := runFor(t, cfg, func(n *fagus.Node) error {
				x, y := fagus.NewGuarded[int64](n, "x", 1), fagus.NewGuarded[int64](n, "y", 1)
				change := n.Set(x.Write())
				n.Barrier()
				switch n.Rank() {
				case 0:
					for range tenures {
						change.Do(func() {})
						n.Spend(3 * fagus.Microsecond)
					}
				case 1:
					n.Set(x.Read(), y.Write()).DoWhen(func() bool { return x.Slice()[0] == 1 }, func() {})
				case 2:
					n.Spend(fagus.Millisecond)
					change.Do(func() { x.Slice()[0]++ })
				}
				return n.Barrier()
			})
			if err != nil {
				t.Errorf("%d tenures of the owner: %v", tenures, err)
			}
			if report.Clock != dimmnet.Virtual {
				break
			}
		}
	})
}

// TestWhenNobodyPolls: ranks that wait make no call while nothing changes. In phase mode they take
// part in as many phases as the rank that makes them wait.
func TestWhenNobodyPolls(t *testing.T) {
	onWhen(t, func(t *testing.T, cfg fagus.Config) {
		cfg.Nodes = 4
		const phases = 50
		report, err := runFor(t, cfg, func(n *fagus.Node) error {
			x, other := fagus.NewGuarded[int64](n, "x", 1), fagus.NewGuarded[int64](n, "other", 1)
			if n.Rank() > 0 {
				return n.Set(x.Write()).DoWhen(func() bool { return x.Slice()[0] == 1 }, func() {})
			}
			for range phases {
				n.Spend(fagus.Millisecond)
				if n.Virtual() {
					n.Set(other.Write()).Do(func() { other.Slice()[0]++ })
				} else {
					time.Sleep(time.Millisecond)
					n.Set(other.Write()).Do(func() { other.Slice()[0]++ })
				}
			}
			return n.Set(x.Write()).Do(func() { x.Slice()[0] = 1 })
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range report.Ranks[1:] {
			if calls := s.Parts[fagus.PartAcquire].Calls; calls > 8 {
				t.Errorf("rank %d has made %d Acquires, want at most 8", s.Rank, calls)
			}
			if s.Phases > phases+20 {
				t.Errorf("rank %d has taken part in %d phases, want at most %d", s.Rank, s.Phases, phases+20)
			}
		}
	})
}

// TestWhenMistakes: errors of AcquireWhen name the cause.
func TestWhenMistakes(t *testing.T) {
	for want, f := range map[string]func(*fagus.Node) error{
		"first request says":          func(n *fagus.Node) error { return n.Set().DoWhen(func() bool { return true }, func() {}) },
		"was not made by this rank's": func(n *fagus.Node) error { return n.AcquireWhen(nil, func() bool { return true }) },
		"while holding": func(n *fagus.Node) error {
			x := fagus.NewGuarded[int64](n, "x", 1)
			n.Acquire(n.Set(x.Write()))
			return n.AcquireWhen(n.Set(x.Write()), func() bool { return true })
		},
	} {
		_, err := runFor(t, fagus.Config{Nodes: 1}, f)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
