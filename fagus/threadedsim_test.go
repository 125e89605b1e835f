package fagus_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// runThreadedSim runs a random program in threaded mode in virtual time, on nodes
// that its seed chooses. change, if not nil, has the last word on the network.
func runThreadedSim(t *testing.T, seed uint64, change func(*sim.Config)) (fagus.Report, sim.Result) {
	t.Helper()
	nodes, cpus, notices := 2+int(seed%4), 1+int(seed/4%2), seed/8%2 == 0
	preset, err := sim.LoadPreset("fagus2")
	if err != nil {
		t.Fatal(err)
	}
	preset.Host.CPUs = cpus
	cfg := sim.Config{Seed: seed, Preset: &preset, Limit: 100 * dimmnet.Second}
	if change != nil {
		change(&cfg)
	}
	net := newSim(t, cfg)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	report, err := fagus.Run(ctx, fagus.Config{Nodes: nodes, Net: net, Mode: fagus.Threaded, Notices: notices}, newOracle(seed).program(seed))
	if err != nil {
		t.Fatalf("seed %d, %d nodes, %d CPUs, notices %v: %v", seed, nodes, cpus, notices, err)
	}
	return report, net.Result()
}

// TestThreadedInVirtualTime runs random programs with random delays on nodes with
// one CPU and two, whose receive threads poll or wait for notices; the oracle knows
// what every rank must see.
func TestThreadedInVirtualTime(t *testing.T) {
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 40
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		runThreadedSim(t, seed, nil)
	}
}

// TestThreadedIsDeterministic runs some of them twice.
func TestThreadedIsDeterministic(t *testing.T) {
	for seed := uint64(1); seed <= 16; seed++ {
		_, one := runThreadedSim(t, seed, nil)
		_, two := runThreadedSim(t, seed, nil)
		if one.TraceHash != two.TraceHash || one.End != two.End {
			t.Errorf("seed %d: %+v, then %+v", seed, one, two)
		}
	}
}

// TestThreadedSkipsExactly runs some of them with every polling pass, where threads
// share CPUs, and compares all that can be seen.
func TestThreadedSkipsExactly(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 8
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		busy := func(c *sim.Config) { // often another thread's turn, and much at the same instant
			c.MaxDelay, c.Preset.Host.Slice = 5*dimmnet.Microsecond, dimmnet.Time(20+seed%7*10)*dimmnet.Microsecond
			if seed%3 > 0 {
				host := &c.Preset.Host
				host.Read, host.Write, host.ReadHalf, host.Fill = 20*dimmnet.Nanosecond, 20*dimmnet.Nanosecond, 20*dimmnet.Nanosecond, 0
				c.MaxDelay = 1 // picoseconds: hardly any
			}
		}
		skipped, one := runThreadedSim(t, seed, busy)
		spun, two := runThreadedSim(t, seed, func(c *sim.Config) { busy(c); c.Spin = true })
		one.Events, two.Events = 0, 0 // passes of a thread are events
		if !reflect.DeepEqual(skipped, spun) || !reflect.DeepEqual(one, two) {
			t.Errorf("seed %d: skipped %+v, spun %+v", seed, one, two)
		}
	}
}

// TestThreadedStarvesNobody lets ranks take turns at a lock as fast as they can. A
// request that follows the owner must catch up with it: where all take the same time
// it had to follow for ever once.
func TestThreadedStarvesNobody(t *testing.T) {
	const tenures = 20
	for nodes := 2; nodes <= 6; nodes++ {
		for _, pause := range []fagus.Time{0, 5, 9, 10, 20, 50} {
			for _, notices := range []bool{false, true} {
				var had [6]int // the threads of the simulator run one at a time
				_, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Mode: fagus.Threaded, Notices: notices,
					Net: newSim(t, sim.Config{Limit: dimmnet.Time(nodes*nodes*tenures) * dimmnet.Millisecond})}, func(n *fagus.Node) error {
					_, guards, err := counters(n, 1)
					if err != nil {
						return err
					}
					set := n.Set(fagus.Want(guards[0], fagus.Exclusive))
					for slices.Min(had[:nodes]) < tenures {
						if err := errors.Join(n.Acquire(set), n.Release(set)); err != nil {
							return err
						}
						had[n.Rank()]++
						n.Spend(pause * fagus.Microsecond)
					}
					return nil
				})
				if err != nil || slices.Max(had[:nodes]) > 50*tenures {
					t.Errorf("%d nodes, %d us, notices %v: %v tenures, %v", nodes, pause, notices, had[:nodes], err)
				}
			}
		}
	}
}

// lossy is a UDP network that loses up to a fifth of all datagrams, doubles and
// delays others, as its seed says.
func lossy(c *sim.Config) {
	c.UDP = &sim.UDP{Loss: float64(c.Seed%21) / 100, Duplicate: float64(c.Seed%5) / 20, Reorder: float64(c.Seed%7) / 20}
}

// TestThreadedOnUDP runs random programs by UDP-Fagus.
func TestThreadedOnUDP(t *testing.T) {
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 42
	}
	var sum sim.UDPCounts
	for seed := uint64(1); seed <= seeds; seed++ {
		_, result := runThreadedSim(t, seed, lossy)
		sum.Sent, sum.Lost = sum.Sent+result.UDP.Sent, sum.Lost+result.UDP.Lost
	}
	if sum.Lost < sum.Sent/20 || sum.Lost > sum.Sent/5 {
		t.Errorf("%d of %d datagrams were lost", sum.Lost, sum.Sent)
	}
}

// TestPhasesOnUDP: the phase engine runs there as well.
func TestPhasesOnUDP(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 21
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		cfg := sim.Config{Seed: seed, Limit: 1000 * dimmnet.Second}
		lossy(&cfg)
		nodes := 2 + int(seed%4)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := fagus.Run(ctx, fagus.Config{Nodes: nodes, Net: newSim(t, cfg)}, newOracle(seed).program(seed))
		cancel()
		if err != nil {
			t.Fatalf("seed %d, %d nodes: %v", seed, nodes, err)
		}
	}
}
