package sim_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

const us = dimmnet.Microsecond

// loadUntil polls a word until it is want, and fails if it decreases.
func loadUntil(p dimmnet.Port, off dimmnet.Offset, want uint64) error {
	last := uint64(0)
	for {
		mark := p.Arrivals()
		x := p.Load(off)
		if x < last {
			return fmt.Errorf("rank %d loaded %d after %d: the word decreased", p.Rank(), x, last)
		}
		if last = x; x == want {
			return nil
		}
		if err := p.Err(); err != nil {
			return err
		}
		p.Idle(mark)
	}
}

// postTo tries until a post succeeds.
func postTo(p dimmnet.Port, try func() bool) error {
	for !try() {
		if err := p.Err(); err != nil {
			return err
		}
		p.Idle(p.Arrivals())
	}
	return nil
}

// countTo makes rank 0 store 1 to n at all other ranks, every third number by multicast if the
// network has it. Each other rank answers the last number.
func countTo(n uint64, between dimmnet.Time) func(dimmnet.Host) error {
	return func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() > 0 {
			if err := loadUntil(p, 0, n); err != nil {
				return err
			}
			return postTo(p, func() bool { return p.Store(0, dimmnet.Offset(8*p.Rank()), n, 8) })
		}
		var peers []dimmnet.Rank
		for r := 1; r < p.Nodes(); r++ {
			peers = append(peers, dimmnet.Rank(r))
		}
		for x := uint64(1); x <= n; x++ {
			if x%3 == 0 && p.Limits().Multicast > 0 {
				if err := postTo(p, func() bool { return p.Multicast(peers, 0, x, 8) }); err != nil {
					return err
				}
			} else {
				for _, r := range peers {
					if err := postTo(p, func() bool { return p.Store(r, 0, x, 8) }); err != nil {
						return err
					}
				}
			}
			h.Spend(between)
		}
		for _, r := range peers {
			if err := loadUntil(p, dimmnet.Offset(8*r), n); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestPauseDelaysExactly(t *testing.T) {
	net := newNetwork(t, sim.Config{Faults: []sim.Fault{
		{Kind: sim.Pause, Rank: 1, At: 4 * us, For: 7 * us},
		{Kind: sim.Pause, Rank: 1, At: 30 * us, For: 5 * us},
		{Kind: sim.Pause, Rank: 1, At: dimmnet.Second, For: us},
	}})
	var now [2][2]dimmnet.Time
	err := net.Run(t.Context(), 2, func(h dimmnet.Host) error {
		r := h.Port().Rank()
		h.Spend(10 * us)
		now[r][0] = h.Now()
		h.Spend(15 * us)
		now[r][1] = h.Now()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := [2][2]dimmnet.Time{{10 * us, 25 * us}, {17 * us, 37 * us}}
	if now != want {
		t.Errorf("the clocks are %v, want %v", now, want)
	}
	if got := net.Result().Struck; !reflect.DeepEqual(got, []bool{true, true, false}) {
		t.Errorf("Struck is %v", got)
	}
}

// TestPauseOfASleeper: a pause delays a thread woken in it to its end, and no thread woken later.
func TestPauseOfASleeper(t *testing.T) {
	for set, want := range map[dimmnet.Time]dimmnet.Time{3 * us: 3 * us, 10 * us: 15 * us, 20 * us: 20 * us} {
		net := newNetwork(t, sim.Config{HostCost: presets.HostCostOff, Faults: []sim.Fault{{Kind: sim.Pause, Rank: 0, At: 5 * us, For: 10 * us}}})
		arrived := dimmnet.Time(-1)
		err := net.Run(t.Context(), 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 1 {
				h.Spend(set)
				h.Notify(0)
				return nil
			}
			if err := h.Notice().Wait(); err != nil {
				return err
			}
			arrived = h.Now()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		preset := net.Preset()
		e := &preset.Ethernet
		frame := dimmnet.Time(max(e.FrameBytes+e.NoticeIP, e.MinFrame)+e.GapBytes) * e.Byte
		way := preset.Host.Notify + 2*frame + e.Switch + preset.Host.Notice
		if at := set + way; at >= 15*us || at < 5*us {
			want = at
		} else {
			want = 15 * us
		}
		if arrived != want {
			t.Errorf("event set at %v, arrives after %v: thread woken at %v, want %v", set, way, arrived, want)
		}
	}
}

// TestPausesSkipPollsExactly: a pause affects skipped polling passes and real ones alike.
func TestPausesSkipPollsExactly(t *testing.T) {
	for seed := range uint64(200) {
		var faults []sim.Fault
		for i := range dimmnet.Time(6) {
			faults = append(faults, sim.Fault{Kind: sim.Pause, Rank: dimmnet.Rank(i % 3), At: (3 + 9*i + dimmnet.Time(seed)/7) * us, For: (1 + i) * us})
		}
		var results [2]sim.Result
		var counters [2][3]dimmnet.Counters
		for i := range results {
			net := newNetwork(t, sim.Config{Seed: seed, MaxDelay: 10 * us, Spin: i == 1, Faults: faults})
			err := net.Run(t.Context(), 3, func(h dimmnet.Host) error {
				defer func() { counters[i][h.Port().Rank()] = h.Port().Counters() }()
				return countTo(20, 2*us)(h)
			})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			results[i] = net.Result()
			results[i].Events = 0 // every pass that a thread runs is an event
		}
		if !reflect.DeepEqual(results[0], results[1]) || counters[0] != counters[1] {
			t.Fatalf("seed %d: with skipped passes %+v %+v, with Spin %+v %+v", seed, results[0], counters[0], results[1], counters[1])
		}
	}
}

// TestPartitionHeals: posts made during a partition, even split multicasts, land after it in
// order.
func TestPartitionHeals(t *testing.T) {
	for _, seed := range []uint64{0, 1, 2} {
		for nodes := 2; nodes <= 5; nodes++ {
			fault := sim.Fault{Kind: sim.Partition, A: []dimmnet.Rank{0}, B: []dimmnet.Rank{1}, At: 5 * us, For: 300 * us}
			trace := make(map[dimmnet.Rank]dimmnet.Time)
			net := newNetwork(t, sim.Config{Seed: seed, MaxDelay: us, Faults: []sim.Fault{fault}, Trace: func(r sim.Record) {
				if r.Note == "" && r.Rank == 1 && r.From == 0 && r.At > fault.At+20*us && r.At < fault.End() {
					trace[r.Rank] = r.At
				}
			}})
			if err := net.Run(t.Context(), nodes, countTo(50, us)); err != nil {
				t.Fatalf("%d nodes, seed %d: %v", nodes, seed, err)
			}
			if r := net.Result(); r.Held == 0 || !r.Struck[0] || r.End < fault.End() {
				t.Errorf("%d nodes, seed %d: Held %d, Struck %v, End %v", nodes, seed, r.Held, r.Struck, r.End)
			}
			if len(trace) > 0 {
				t.Errorf("%d nodes, seed %d: a packet landed through the partition: %v", nodes, seed, trace)
			}
		}
	}
}

// TestPartitionLosesDatagrams: datagrams sent during a partition are lost and sent again.
func TestPartitionLosesDatagrams(t *testing.T) {
	fault := sim.Fault{Kind: sim.Partition, A: []dimmnet.Rank{0}, B: []dimmnet.Rank{1, 2}, At: dimmnet.Millisecond, For: 300 * dimmnet.Millisecond}
	net := newNetwork(t, sim.Config{UDP: &sim.UDP{}, Faults: []sim.Fault{fault}})
	if err := net.Run(t.Context(), 3, countTo(20, 500*us)); err != nil {
		t.Fatal(err)
	}
	if r := net.Result(); r.UDP.Lost == 0 || !r.Struck[0] || r.End < fault.End() {
		t.Errorf("Result.UDP %+v, Struck %v, End %v: want lost datagrams, and an end after the partition", r.UDP, r.Struck, r.End)
	}
}

func TestCorruptDatagramsAreDropped(t *testing.T) {
	fault := sim.Fault{Kind: sim.Corrupt, For: dimmnet.Second, Probability: 0.3}
	net := newNetwork(t, sim.Config{UDP: &sim.UDP{}, Seed: 3, Faults: []sim.Fault{fault}})
	if err := net.Run(t.Context(), 3, countTo(20, 500*us)); err != nil {
		t.Fatal(err)
	}
	r := net.Result()
	if r.UDP.Corrupted == 0 || r.UDP.Lost != 0 || r.UDP.Corrupted > r.UDP.Sent/2 {
		t.Errorf("Result.UDP is %+v, want corrupted datagrams", r.UDP)
	}
}

// TestCrashNamesItsRank checks the error of every port and of Run.
func TestCrashNamesItsRank(t *testing.T) {
	for _, udp := range []*sim.UDP{nil, {Loss: 0.1}} {
		net := newNetwork(t, sim.Config{UDP: udp, Faults: []sim.Fault{{Kind: sim.Crash, Rank: 2, At: 40 * us}}})
		var seen [4]error
		err := net.Run(t.Context(), 4, func(h dimmnet.Host) error {
			err := countTo(1000, 10*us)(h)
			seen[h.Port().Rank()] = err
			return err
		})
		for r, err := range append(seen[:], err) {
			crash := (*sim.CrashError)(nil)
			if !errors.As(err, &crash) || crash.Rank != 2 || crash.At != 40*us || !strings.Contains(err.Error(), "rank 2 crashed at 40.000 us") {
				t.Errorf("rank %d (4 stands for Run): %v", r, err)
			}
		}
	}
}

// TestLateCrash: a rank that has returned does not crash.
func TestLateCrash(t *testing.T) {
	net := newNetwork(t, sim.Config{Faults: []sim.Fault{{Kind: sim.Crash, Rank: 1, At: dimmnet.Second}}})
	if err := net.Run(t.Context(), 2, countTo(10, us)); err != nil {
		t.Fatal(err)
	}
	if r := net.Result(); r.Struck[0] || r.End >= dimmnet.Second {
		t.Errorf("Struck %v, End %v: want a run without a crash", r.Struck, r.End)
	}
}

// TestFaultsAreDeterministic also checks that a fault outside the run changes nothing.
func TestFaultsAreDeterministic(t *testing.T) {
	all := []sim.Fault{
		{Kind: sim.Pause, Rank: 1, At: 2 * dimmnet.Millisecond, For: dimmnet.Millisecond},
		{Kind: sim.Partition, A: []dimmnet.Rank{0}, B: []dimmnet.Rank{2}, At: dimmnet.Millisecond, For: 5 * dimmnet.Millisecond},
		{Kind: sim.Corrupt, At: 3 * dimmnet.Millisecond, For: 50 * dimmnet.Millisecond, Probability: 0.2},
	}
	late := []sim.Fault{{Kind: sim.Pause, Rank: 1, At: 1000 * dimmnet.Second, For: us}}
	hash := func(seed uint64, faults []sim.Fault) uint64 {
		net := newNetwork(t, sim.Config{UDP: &sim.UDP{Loss: 0.1}, Seed: seed, Faults: faults})
		if err := net.Run(t.Context(), 3, countTo(30, 200*us)); err != nil {
			t.Fatal(err)
		}
		return net.Result().TraceHash
	}
	if a, b := hash(1, all), hash(1, all); a != b {
		t.Errorf("one seed gave trace hashes %x and %x", a, b)
	}
	if hash(1, all) == hash(2, all) || hash(1, all) == hash(1, nil) {
		t.Error("another seed, or no faults, gave the same trace")
	}
	if hash(1, late) != hash(1, nil) {
		t.Error("a fault after the end of the run has changed the trace")
	}
}

func TestFaultsAreChecked(t *testing.T) {
	zero, one := []dimmnet.Rank{0}, []dimmnet.Rank{1}
	for want, faults := range map[string][]sim.Fault{
		"want pause, partition, crash or corrupt": {{Kind: "fire", For: us}},
		"For is 0":                      {{Kind: sim.Pause}},
		"the window must lie between 0": {{Kind: sim.Pause, At: -1, For: us}},
		"A or B is empty":               {{Kind: sim.Partition, For: us, A: zero}},
		"rank 0 is in both A and B":     {{Kind: sim.Partition, For: us, A: zero, B: zero}},
		"a crash has no window":         {{Kind: sim.Crash, For: us}},
		"set Config.UDP":                {{Kind: sim.Corrupt, For: us, Probability: 0.1}},
		"pause rank 3 at the same time": {{Kind: sim.Pause, Rank: 3, For: 2 * us}, {Kind: sim.Pause, Rank: 3, At: us, For: us}},
	} {
		if _, err := sim.New(sim.Config{Faults: faults}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", faults, err, want)
		}
	}
	if _, err := sim.New(sim.Config{UDP: &sim.UDP{}, Faults: []sim.Fault{{Kind: sim.Corrupt, For: us, Probability: 1}}}); err == nil {
		t.Error("a probability of 1 is accepted")
	}
	net := newNetwork(t, sim.Config{Faults: []sim.Fault{{Kind: sim.Partition, For: us, A: zero, B: one}}})
	if err := net.Run(t.Context(), 1, func(dimmnet.Host) error { return nil }); err == nil || !strings.Contains(err.Error(), "the run has 1 nodes") {
		t.Errorf("a fault of a rank that does not exist: error %v", err)
	}
}
