package sim_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/host"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// TestPollingTakesTurnsOnTheBus: beside a thread that polls on another CPU, each line from memory
// waits for an uncached read, 173 after 159 ns. A computation without misses is not hindered.
func TestPollingTakesTurnsOnTheBus(t *testing.T) {
	const lines = 1_000_000
	for _, test := range []struct {
		cost  string
		polls bool
		work  dimmnet.Work
		want  dimmnet.Time // of a line
	}{
		{"on", false, dimmnet.Miss, 159 * ns},
		{"on", true, dimmnet.Miss, (159 + 173) * ns},
		{"on", true, dimmnet.Entry, 200 * ns},
		{"bus=0", true, dimmnet.Miss, 159 * ns},
		{"miss=2", false, dimmnet.Miss, 318 * ns},
		{"off", true, dimmnet.Miss, 159 * ns},
		{"off", true, dimmnet.Entry, 0},
	} {
		var took dimmnet.Time
		play(t, sim.Config{HostCost: test.cost}, 1, func(h dimmnet.Host) error {
			if test.polls {
				h.Go("poll", func(h dimmnet.Host) error { return pollUntil(h, 8) })
			}
			h.Spend(dimmnet.Millisecond)
			start := h.Now()
			h.Charge(test.work, lines)
			took = h.Now() - start
			h.Port().Store(0, 8, 1, 8)
			return nil
		})
		if want := lines * test.want; took < want*999/1000 || took > want*1001/1000 {
			t.Errorf("host cost %s, beside a polling thread: %v: %d of %v took %v, want %v", test.cost, test.polls, lines, test.work, took, want)
		}
	}
}

// TestBusWorkIsNotLost: threads that share a CPU in slices do all of their work on the bus.
func TestBusWorkIsNotLost(t *testing.T) {
	const lines, threads = 1_000_000, 3
	var last dimmnet.Time
	cfg := withCPUs(t, 1)
	cfg.HostCost, cfg.Preset.Host.Slice = "on", 7300*us // not whole ticks
	play(t, cfg, 1, func(h dimmnet.Host) error {
		for range threads {
			h.Go("work", func(h dimmnet.Host) error {
				h.Charge(dimmnet.Miss, lines)
				last = max(last, h.Now())
				return nil
			})
		}
		return nil
	})
	if want := dimmnet.Time(threads*lines) * 159 * ns; last < want || last > want*1001/1000 {
		t.Errorf("%d threads with %d lines each end at %v, want %v", threads, lines, last, want)
	}
}

// TestWakeCostsTime: an event wakes a thread only after the time of a wake-up.
func TestWakeCostsTime(t *testing.T) {
	for cost, want := range map[string]dimmnet.Time{"off": 0, "on": 8 * dimmnet.Microsecond, "wake=0.5": 4 * dimmnet.Microsecond} {
		var set, woken dimmnet.Time
		play(t, sim.Config{HostCost: cost}, 1, func(h dimmnet.Host) error {
			e := h.NewEvent()
			h.Go("sleeper", func(h dimmnet.Host) error {
				err := e.Wait()
				woken = h.Now()
				return err
			})
			h.Spend(dimmnet.Millisecond)
			set = h.Now()
			e.Set()
			return nil
		})
		if woken-set != want {
			t.Errorf("host cost %s: woken after %v, want %v", cost, woken-set, want)
		}
	}
}

// TestShortHelp: a thread that uses the bus for a moment delays work on the bus for a moment, not
// for a tick.
func TestShortHelp(t *testing.T) {
	const lines = 6000
	for _, wait := range []dimmnet.Time{0, 300 * us} {
		var took dimmnet.Time
		play(t, sim.Config{HostCost: "wake=0"}, 1, func(h dimmnet.Host) error {
			e := h.NewEvent()
			h.Go("help", func(h dimmnet.Host) error {
				if err := e.Wait(); err != nil {
					return err
				}
				h.Spend(wait)
				for range 30 { // some 5 us
					h.Port().Load(8)
				}
				return nil
			})
			h.Spend(dimmnet.Millisecond)
			e.Set()
			start := h.Now()
			h.Charge(dimmnet.Miss, lines)
			took = h.Now() - start
			return nil
		})
		if least := lines * 159 * ns; took < least || took > least+30*us {
			t.Errorf("beside 5 us of help after %v, %d lines took %v, want at most 30 us more than %v", wait, lines, took, least)
		}
	}
}

// TestChargeIsBounded: a charge that no clock can hold ends the run at its limit, a pause and the
// limit hold for charges as for Spend, and a large cost of the bus does not overflow.
func TestChargeIsBounded(t *testing.T) {
	for _, n := range []int{1 << 40, 1 << 60, math.MaxInt} {
		err := newNetwork(t, sim.Config{Limit: dimmnet.Second}).Run(t.Context(), 1, func(h dimmnet.Host) error {
			h.Charge(dimmnet.Miss, n)
			return h.Port().Err()
		})
		if !errors.Is(err, host.ErrLimit) {
			t.Errorf("%d lines: Run returned %v, want the limit", n, err)
		}
	}
	var end dimmnet.Time
	faults := []sim.Fault{{Kind: sim.Pause, Rank: 0, At: 10 * dimmnet.Millisecond, For: 50 * dimmnet.Millisecond}}
	play(t, sim.Config{Faults: faults}, 1, func(h dimmnet.Host) error {
		h.Charge(dimmnet.Miss, 100_000)
		end = h.Now()
		return nil
	})
	if want := 100_000*159*ns + 50*dimmnet.Millisecond; end != want {
		t.Errorf("work with a pause of 50 ms ends at %v, want %v", end, want)
	}
	play(t, sim.Config{HostCost: "bus=1000", Limit: 10000 * dimmnet.Second}, 1, func(h dimmnet.Host) error {
		for off := range dimmnet.Offset(2) {
			h.Go("poll", func(h dimmnet.Host) error { return pollUntil(h, 8+8*off) })
		}
		h.Charge(dimmnet.Miss, 1_000_000)
		h.Port().Store(0, 8, 1, 8)
		h.Port().Store(0, 16, 1, 8)
		return nil
	})
}

// TestHostCostsSkipExactly: with threads that compute, copy, poll and sleep on one node, the result
// is the same whether polling passes are skipped or run.
func TestHostCostsSkipExactly(t *testing.T) {
	seeds := longtest.Cases[uint64](600, 60)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		spun, skipped := threadsRun(t, seed, true), threadsRun(t, seed, false)
		spun.Result.Events, skipped.Result.Events = 0, 0 // run passes are events, too
		if !reflect.DeepEqual(spun, skipped) {
			t.Fatalf("seed %d: with every pass %+v, with skipped passes %+v", seed, spun, skipped)
		}
	}
}

// threadsRun runs pairs of threads on two nodes. Each pair plays ping-pong with its pair on the
// other node, with random work between.
func threadsRun(t *testing.T, seed uint64, spin bool) (o outcome) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	preset, err := presets.Load([]string{"A", "D", "fagus2"}[r.IntN(3)])
	if err != nil {
		t.Fatal(err)
	}
	preset.Host.CPUs = 1 + r.IntN(3)
	preset.Host.Slice = dimmnet.Time(1+r.IntN(20)) * 100 * dimmnet.Microsecond
	cfg := sim.Config{Preset: &preset, Spin: spin, Limit: 10 * dimmnet.Second}
	if r.IntN(2) == 0 {
		cfg.Seed, cfg.MaxDelay = r.Uint64()|1, 5*dimmnet.Microsecond
	}
	net := newNetwork(t, cfg)
	pairs, rounds := 1+r.IntN(3), 3+r.IntN(6)
	o = outcome{Times: make([]dimmnet.Time, 2*pairs), Counters: make([]dimmnet.Counters, 2*pairs)}
	err = net.Run(t.Context(), 2, func(h dimmnet.Host) error {
		rank := h.Port().Rank()
		for pair := range pairs {
			h.Go(fmt.Sprintf("pair %d", pair), func(h dimmnet.Host) error {
				if pair == 2 { // charges work in every pass, too
					return chargingPair(h, seed, rounds)
				}
				err := playPair(h, rand.New(rand.NewPCG(seed, uint64(10+2*pair)+uint64(rank))), pair, rounds)
				at := 2*pair + int(rank)
				o.Times[at], o.Counters[at] = h.Now(), h.Port().Counters()
				return err
			})
		}
		h.Charge(dimmnet.Miss, 20_000)
		return nil
	})
	if err != nil {
		t.Fatalf("seed %d, spin %v: %v", seed, spin, err)
	}
	o.Result = net.Result()
	return o
}

func playPair(h dimmnet.Host, r *rand.Rand, pair, rounds int) error {
	peer := 1 - h.Port().Rank()
	for round := range rounds {
		off := dimmnet.Offset(8 * (1 + pair*rounds + round))
		if h.Port().Rank() == 0 {
			work(h, r)
			h.Port().Store(peer, off, 1, 8)
		}
		if err := pollUntil(h, off); err != nil {
			return err
		}
		if h.Port().Rank() == 1 {
			work(h, r)
			h.Port().Store(peer, off, 1, 8)
		}
	}
	return nil
}

// chargingPair polls as the others do, and works in every pass of rank 0.
func chargingPair(h dimmnet.Host, seed uint64, rounds int) error {
	off := dimmnet.Offset(8 * (1 + 2*rounds))
	if h.Port().Rank() == 1 {
		h.Spend(dimmnet.Time(seed%9) * dimmnet.Millisecond)
		h.Port().Store(0, off, 1, 8)
		return nil
	}
	for h.Port().Err() == nil {
		mark := h.Port().Arrivals()
		h.Charge(dimmnet.Miss, 20)
		if h.Port().Load(off) != 0 {
			return nil
		}
		h.Port().Idle(mark)
	}
	return h.Port().Err()
}

// work computes or works for a random time.
func work(h dimmnet.Host, r *rand.Rand) {
	if n := r.IntN(int(dimmnet.Works) + 2); n < int(dimmnet.Works) {
		h.Charge(dimmnet.Work(n), r.IntN(20_000))
	} else {
		h.Spend(dimmnet.Time(r.IntN(3000)) * dimmnet.Microsecond)
	}
}

// TestHostCostIsRefused: a host cost that means nothing is an error.
func TestHostCostIsRefused(t *testing.T) {
	for _, cost := range []string{"of", "miss", "miss=", "miss=-1", "miss=NaN", "miss=2000", "cache=2", "miss=1,", ",", "on,miss=2"} {
		if _, err := sim.New(sim.Config{HostCost: cost}); err == nil {
			t.Errorf("New accepts host cost %q", cost)
		}
	}
}
