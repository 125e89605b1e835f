package fagus_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
)

// runThreadedSim runs a random program in threaded mode in virtual time. The seed determines the
// nodes and the network, which change, if not nil, may modify.
func runThreadedSim(t *testing.T, seed uint64, change func(*sim.Config)) (fagus.Report, sim.Result) {
	t.Helper()
	nodes, cpus, notices, direct := 2+int(seed%4), 1+int(seed/4%2), seed/8%2 == 0, seed%3 > 0
	preset, err := presets.Load("fagus2")
	if err != nil {
		t.Fatal(err)
	}
	preset.Host.CPUs = cpus
	cfg := sim.Config{Seed: seed, Preset: &preset, Limit: 100 * dimmnet.Second}
	if change != nil {
		change(&cfg)
	}
	net := newSim(t, cfg)
	run := fagus.Config{Nodes: nodes, Net: net, Mode: fagus.Threaded, Notices: notices, Direct: direct}
	report, err := runFor(t, run, newOracle(seed).program(seed))
	if err != nil {
		t.Fatalf("seed %d, %d nodes, %d CPUs, notices %v, direct %v: %v", seed, nodes, cpus, notices, direct, err)
	}
	return report, net.Result()
}

// TestThreadedInVirtualTime runs random programs with random delays on nodes with one or two CPUs,
// whose receive threads poll or wait for notices. Two thirds of the runs are direct.
func TestThreadedInVirtualTime(t *testing.T) {
	longtest.Third(t)
	longtest.OneThread(t)
	for seed := uint64(1); seed <= cases(1000, 15); seed++ {
		runThreadedSim(t, seed, nil)
	}
}

// TestThreadedIsDeterministic: two runs with the same seed have the same trace.
func TestThreadedIsDeterministic(t *testing.T) {
	longtest.OneThread(t)
	for seed := uint64(1); seed <= 16; seed++ {
		_, one := runThreadedSim(t, seed, nil)
		_, two := runThreadedSim(t, seed, nil)
		if one.TraceHash != two.TraceHash || one.End != two.End {
			t.Errorf("seed %d: the first run gives %+v, the second %+v", seed, one, two)
		}
	}
}

// TestThreadedSkipsExactly runs random programs twice: once the simulator executes every polling
// pass, and once it skips passes that change nothing. All results must be the same, also if
// threads share CPUs.
func TestThreadedSkipsExactly(t *testing.T) {
	longtest.Third(t)
	longtest.OneThread(t)
	for seed := uint64(1); seed <= cases(200, 8); seed++ {
		busy := func(c *sim.Config) { // short time slices, and many events at the same instant
			c.MaxDelay, c.Preset.Host.Slice = 5*dimmnet.Microsecond, dimmnet.Time(20+seed%7*10)*dimmnet.Microsecond
			if seed%3 > 0 {
				host := &c.Preset.Host
				host.Read, host.Write, host.ReadHalf, host.Fill = 20*dimmnet.Nanosecond, 20*dimmnet.Nanosecond, 20*dimmnet.Nanosecond, 0
				c.MaxDelay = 1 // 1 ps: almost no delay
			}
		}
		skipped, one := runThreadedSim(t, seed, busy)
		spun, two := runThreadedSim(t, seed, func(c *sim.Config) { busy(c); c.Spin = true })
		one.Events, two.Events = 0, 0 // skipped passes are not counted as events
		if !reflect.DeepEqual(skipped, spun) || !reflect.DeepEqual(one, two) {
			t.Errorf("seed %d: the result is %+v with skipped passes, %+v without", seed, one, two)
		}
	}
}

// TestThreadedStarvesNobody: ranks acquire a lock as fast as they can, and no rank starves. A
// request is forwarded from owner to owner; if all ranks take the same time, it must not follow
// the lock forever.
func TestThreadedStarvesNobody(t *testing.T) {
	longtest.OneThread(t)
	const tenures = 20
	for nodes := 2; nodes <= 6; nodes++ {
		for _, pause := range []fagus.Time{0, 5, 9, 10, 20, 50} {
			for kind := range 4 {
				notices, direct := kind&1 != 0, kind&2 != 0
				var had [6]int // tenures by rank; simulated threads run one at a time
				_, err := fagus.Run(t.Context(), fagus.Config{Nodes: nodes, Mode: fagus.Threaded, Notices: notices, Direct: direct,
					Net: newSim(t, sim.Config{Limit: dimmnet.Time(nodes*nodes*tenures) * dimmnet.Millisecond})}, func(n *fagus.Node) error {
					_, guards, err := counters(n, 1)
					if err != nil {
						return err
					}
					set := n.Set(fagus.Want(guards[0], fagus.Exclusive))
					for slices.Min(had[:nodes]) < tenures {
						if err := touch(n, set); err != nil {
							return err
						}
						had[n.Rank()]++
						n.Spend(pause * fagus.Microsecond)
					}
					return nil
				})
				if err != nil || slices.Max(had[:nodes]) > 50*tenures {
					t.Errorf("%d nodes, pause of %d us, notices %v, direct %v: tenures by rank %v, error %v", nodes, pause, notices, direct, had[:nodes], err)
				}
			}
		}
	}
}

// lossy configures a UDP network that, depending on the seed, loses up to a fifth of all
// datagrams, and duplicates and reorders others.
func lossy(c *sim.Config) {
	c.UDP = &sim.UDP{Loss: float64(c.Seed%21) / 100, Duplicate: float64(c.Seed%5) / 20, Reorder: float64(c.Seed%7) / 20}
}

// TestThreadedOnUDP runs random programs in threaded mode on lossy UDP networks.
func TestThreadedOnUDP(t *testing.T) {
	longtest.Third(t)
	longtest.OneThread(t)
	seeds := cases(1000, 42)
	var sum sim.UDPCounts
	for seed := uint64(1); seed <= seeds; seed++ {
		_, result := runThreadedSim(t, seed, lossy)
		sum.Sent, sum.Lost = sum.Sent+result.UDP.Sent, sum.Lost+result.UDP.Lost
	}
	if sum.Lost < sum.Sent/20 || sum.Lost > sum.Sent/5 {
		t.Errorf("%d of %d datagrams were lost, want a twentieth to a fifth", sum.Lost, sum.Sent)
	}
}

// TestPhasesOnUDP runs random programs in phase mode on lossy UDP networks.
func TestPhasesOnUDP(t *testing.T) {
	longtest.OneThread(t)
	for seed := uint64(1); seed <= cases(100, 21); seed++ {
		cfg := sim.Config{Seed: seed, Limit: 1000 * dimmnet.Second}
		lossy(&cfg)
		nodes := 2 + int(seed%4)
		runRandom(t, newSim(t, cfg), nodes, seed)
	}
}
