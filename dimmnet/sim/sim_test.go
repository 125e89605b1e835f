package sim_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

func newNetwork(t testing.TB, cfg sim.Config) *sim.Network {
	t.Helper()
	net, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

func TestPort(t *testing.T) {
	configs := map[string]sim.Config{
		"plain": {},
		"seed":  {Seed: 1},
		"F":     {Env: "F", Seed: 2, MaxDelay: dimmnet.Millisecond},
	}
	for name, cfg := range configs {
		t.Run(name, func(t *testing.T) {
			porttest.Run(t, func() dimmnet.Network { return newNetwork(t, cfg) })
		})
	}
}

func TestUnknownEnvironment(t *testing.T) {
	_, err := sim.New(sim.Config{Env: "G"})
	if err == nil || !strings.Contains(err.Error(), "A, B, C, D, E, F, design, fagus2, sendrecv") {
		t.Errorf("error %v does not list the environments", err)
	}
}

func TestDeadlockNamesRanks(t *testing.T) {
	err := newNetwork(t, sim.Config{}).Run(context.Background(), 3, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 1 {
			return nil
		}
		for p.Err() == nil {
			mark := p.Arrivals()
			p.Load(0)
			p.Idle(mark)
		}
		return p.Err()
	})
	if err == nil || !strings.Contains(err.Error(), "deadlock") || !strings.Contains(err.Error(), "[0 2]") {
		t.Errorf("error %v does not name the waiting ranks 0 and 2", err)
	}
}

func TestVirtualTimeIsBounded(t *testing.T) {
	cfg := sim.Config{Spin: true, Limit: dimmnet.Millisecond}
	err := newNetwork(t, cfg).Run(context.Background(), 1, func(h dimmnet.Host) error {
		for p := h.Port(); p.Err() == nil; {
			p.Load(0)
		}
		return h.Port().Err()
	})
	if err == nil || !strings.Contains(err.Error(), "1.000 ms of virtual time") {
		t.Errorf("error %v does not name the limit", err)
	}
}

func TestSpendingIsBounded(t *testing.T) {
	for _, d := range []dimmnet.Time{101 * 24 * 3600 * dimmnet.Second, 1<<63 - 1} {
		err := newNetwork(t, sim.Config{Seed: 1}).Run(context.Background(), 2, func(h dimmnet.Host) error {
			for range 50 { // with a seed, some have a random delay
				before := h.Now()
				if h.Spend(d); h.Now() < before {
					t.Errorf("Spend(%v) moved the clock from %v to %v", d, before, h.Now())
				}
			}
			return h.Port().Err()
		})
		if err == nil || !strings.Contains(err.Error(), "of virtual time have passed") {
			t.Errorf("Spend(%v) three times: Run returned %v", d, err)
		}
	}
}

func TestContextIsLookedAtFirst(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := newNetwork(t, sim.Config{}).Run(ctx, 2, func(dimmnet.Host) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v, want context.Canceled", err)
	}
}

func TestGoexitIsAnError(t *testing.T) {
	err := newNetwork(t, sim.Config{}).Run(context.Background(), 3, func(h dimmnet.Host) error {
		if h.Port().Rank() == 1 {
			new(testing.T).SkipNow() // SkipNow calls runtime.Goexit
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "rank 1 called runtime.Goexit") {
		t.Errorf("error %v does not name rank 1", err)
	}
}

func TestRunChecksItsArguments(t *testing.T) {
	net := newNetwork(t, sim.Config{})
	if err := net.Run(context.Background(), 0, func(dimmnet.Host) error { return nil }); err == nil {
		t.Error("Run on 0 nodes returned no error")
	}
	if err := net.Run(context.Background(), 1, nil); err == nil {
		t.Error("Run without a body returned no error")
	}
	cause := errors.New("mine")
	if err := net.Run(context.Background(), 2, func(dimmnet.Host) error { return cause }); err != cause {
		t.Errorf("Run returned %v, not the body's error", err)
	}
}
