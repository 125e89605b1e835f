package fagus_test

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestSkippedPollsAreExact runs random programs with random delays twice: once the simulator
// executes every polling pass, and once it skips passes that change nothing. Times, counters and
// traces must be the same.
func TestSkippedPollsAreExact(t *testing.T) {
	longtest.OneThread(t)
	seeds := cases(500, 15)
	var polls uint64
	for seed := uint64(1); seed <= seeds; seed++ {
		nodes := 2 + int(seed%4)
		cfg := sim.Config{Seed: seed, MaxDelay: 20 * dimmnet.Microsecond, Limit: 10 * dimmnet.Second}
		if seed%2 == 0 { // without delays more events are at the same time; small buffers fill
			cfg.Seed = 0
			cfg.Preset = smallBuffers(t, seed)
		}
		skip := newSim(t, cfg)
		skipped := runRandom(t, skip, nodes, seed)
		cfg.Spin = true
		spin := newSim(t, cfg)
		spun := runRandom(t, spin, nodes, seed)
		if !reflect.DeepEqual(skipped, spun) {
			t.Fatalf("seed %d, %d nodes: the ranks' times and counters differ:\nskipped %+v\nspun    %+v", seed, nodes, skipped, spun)
		}
		if skip.Result().TraceHash != spin.Result().TraceHash || skip.Result().End != spin.Result().End {
			t.Fatalf("seed %d, %d nodes: the result is %+v with skipped passes, %+v without", seed, nodes, skip.Result(), spin.Result())
		}
		for _, r := range spun.Ranks {
			c := r.Messages()
			polls += c.Polls
		}
	}
	t.Logf("%d seeds, %d polls", seeds, polls)
}

// smallBuffers returns a preset with few send buffers, depending on seed.
func smallBuffers(t *testing.T, seed uint64) *presets.Preset {
	t.Helper()
	envs := presets.Envs()
	preset, err := presets.Load(envs[seed/2%uint64(len(envs))])
	if err != nil {
		t.Fatal(err)
	}
	preset.FIFO = []int{1, 3, 5, 16}[seed/2%4]
	preset.Windows = []int{1, 2, 64}[seed/2%3]
	return &preset
}

// TestSkippedPollsAreExactInBulk makes the comparison of TestSkippedPollsAreExact for transfers
// that fill the windows, with every preset. Without random delays many events have the same time.
func TestSkippedPollsAreExactInBulk(t *testing.T) {
	longtest.OneThread(t)
	for _, env := range presets.Envs() {
		for nodes := 2; nodes <= 4; nodes++ {
			for _, elements := range []int{100_000, 107_777} {
				var reports [2]fagus.Report
				var results [2]sim.Result
				for i := range reports {
					net := newSim(t, sim.Config{Env: env, Spin: i == 1, Limit: 10 * dimmnet.Second})
					reports[i] = succeed(t, fagus.Config{Nodes: nodes, Net: net}, broadcast(elements))
					results[i] = net.Result()
				}
				if !reflect.DeepEqual(reports[0], reports[1]) || results[0].TraceHash != results[1].TraceHash || results[0].End != results[1].End {
					t.Errorf("env %s, %d nodes, %d bytes: the result is %+v with skipped passes, %+v without", env, nodes, elements, results[0], results[1])
				}
			}
		}
	}
}

// broadcast returns a program that transfers elements written by rank 0 to all ranks.
func broadcast(elements int) func(*fagus.Node) error {
	return func(n *fagus.Node) error {
		a, v, err := guarded[byte](n, elements)
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(v, fagus.Shared))
		if n.Rank() == 0 {
			set = n.Set(fagus.Want(v, fagus.Exclusive).Writing(a.All()))
		}
		for range 2 {
			if err := touch(n, set); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestSameSeedSameTrace: runs with the same seed have the same trace, on one processor and on
// eight.
func TestSameSeedSameTrace(t *testing.T) {
	longtest.OneThread(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	hashes := make(map[uint64]uint64)
	for _, procs := range []int{1, 8, 1, 8} {
		runtime.GOMAXPROCS(procs)
		for seed := range uint64(8) {
			net := newSim(t, sim.Config{Seed: seed})
			runRandom(t, net, 4, seed)
			hash := net.Result().TraceHash
			if old, ok := hashes[seed]; ok && old != hash {
				t.Errorf("seed %d, %d processors: trace hash %x, before %x", seed, procs, hash, old)
			}
			hashes[seed] = hash
		}
	}
	if hashes[1] == hashes[2] {
		t.Error("different seeds have the same trace")
	}
}

// TestComputePhasesAreSilent: while a rank computes or releases, its port posts nothing and polls
// nothing. The trace has a record at every change between parts.
func TestComputePhasesAreSilent(t *testing.T) {
	states := 0
	last := make(map[dimmnet.Rank]sim.Record)
	cfg := sim.Config{Seed: 7, Trace: func(r sim.Record) {
		if r.Note == "" {
			return
		}
		silent := last[r.Rank].Note == fagus.PartCompute.String() || last[r.Rank].Note == fagus.PartRelease.String()
		if silent {
			states++
			if r.Counters != last[r.Rank].Counters {
				t.Errorf("rank %d: the port was used in part %s before %v: %+v", r.Rank, last[r.Rank].Note, r.At, r.Counters.Minus(last[r.Rank].Counters))
			}
		}
		last[r.Rank] = r
	}}
	report := runRandom(t, newSim(t, cfg), 4, 7)
	if states < 4*2*5 { // 4 ranks, at least 5 tenures each
		t.Errorf("%d compute phases and releases, want more", states)
	}
	for _, r := range report.Ranks {
		for _, part := range []fagus.Part{fagus.PartCompute, fagus.PartRelease} {
			if c := r.Parts[part].Counters; c != (dimmnet.Counters{}) {
				t.Errorf("rank %d: the port was used in part %v: %+v", r.Rank, part, c)
			}
		}
		if r.Parts[fagus.PartAcquire].Counters.Polls == 0 {
			t.Errorf("rank %d never polled: the counters do not work", r.Rank)
		}
	}
}
