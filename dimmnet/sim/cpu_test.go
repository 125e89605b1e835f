package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// withCPUs returns a network of environment D whose nodes have the given number of CPUs.
func withCPUs(t *testing.T, cpus int) sim.Config {
	t.Helper()
	preset, err := presets.Load("D")
	if err != nil {
		t.Fatal(err)
	}
	preset.Host.CPUs = cpus
	return sim.Config{Preset: &preset, HostCost: presets.HostCostOff}
}

// pollUntil polls a word of this node's LLCM until it is not 0.
func pollUntil(h dimmnet.Host, off dimmnet.Offset) error {
	p := h.Port()
	for {
		mark := p.Arrivals()
		if p.Load(off) != 0 {
			return nil
		}
		if err := p.Err(); err != nil {
			return err
		}
		p.Idle(mark)
	}
}

// TestPollingTakesACPU lets one thread compute for a second while others poll. On one CPU the
// polling threads take their share of it.
func TestPollingTakesACPU(t *testing.T) {
	for _, test := range []struct {
		cpus, pollers int
		want          float64 // seconds
	}{{1, 0, 1}, {1, 1, 2}, {1, 2, 3}, {2, 1, 1}, {2, 3, 2}} {
		var took dimmnet.Time
		err := newNetwork(t, withCPUs(t, test.cpus)).Run(context.Background(), 1, func(h dimmnet.Host) error {
			for range test.pollers {
				h.Go("poll", func(h dimmnet.Host) error { return pollUntil(h, 8) })
			}
			h.Spend(dimmnet.Second)
			took = h.Now()
			h.Port().Store(0, 8, 1, 8)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if s := float64(took) / float64(dimmnet.Second); s < test.want*0.9 || s > test.want*1.1 {
			t.Errorf("%d CPUs, %d pollers: a second of computing takes %.3f s, want %.0f", test.cpus, test.pollers, s, test.want)
		}
	}
}

// TestSleepingTakesNone: a thread that waits for an event uses no CPU, and it continues as
// soon as the thread that sets the event spends time.
func TestSleepingTakesNone(t *testing.T) {
	var woken dimmnet.Time
	err := newNetwork(t, withCPUs(t, 1)).Run(context.Background(), 1, func(h dimmnet.Host) error {
		e := h.NewEvent()
		h.Go("sleeper", func(h dimmnet.Host) error {
			err := e.Wait()
			woken = h.Now()
			return err
		})
		h.Spend(dimmnet.Second)
		if h.Now() > dimmnet.Second+dimmnet.Microsecond {
			t.Errorf("a second of computing took %v beside a sleeping thread", h.Now())
		}
		set := h.Now()
		e.Set()
		h.Spend(dimmnet.Microsecond)
		if woken != set {
			t.Errorf("set at %v, woken at %v", set, woken)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEventsPassTurns counts in turns in two threads.
func TestEventsPassTurns(t *testing.T) {
	for _, cpus := range []int{1, 2} {
		count := 0
		err := newNetwork(t, withCPUs(t, cpus)).Run(context.Background(), 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 1 {
				return nil
			}
			ping, pong := h.NewEvent(), h.NewEvent()
			h.Go("pong", func(h dimmnet.Host) error {
				for range 1000 {
					if err := ping.Wait(); err != nil {
						return err
					}
					count++
					h.Spend(dimmnet.Microsecond)
					pong.Set()
				}
				return nil
			})
			for i := range 1000 {
				ping.Set()
				if err := pong.Wait(); err != nil {
					return err
				}
				if count < i+1 {
					t.Fatalf("turn %d: the count is %d, want %d", i, count, i+1)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestThreadDeadlock: the kernel detects that two threads poll in vain on one CPU, or wait for
// events.
func TestThreadDeadlock(t *testing.T) {
	err := newNetwork(t, withCPUs(t, 1)).Run(context.Background(), 2, func(h dimmnet.Host) error {
		h.Go("receive", func(h dimmnet.Host) error { return pollUntil(h, 8) })
		h.Go("send", func(h dimmnet.Host) error { return h.NewEvent().Wait() })
		return pollUntil(h, 16)
	})
	if err == nil || !strings.Contains(err.Error(), "deadlock") {
		t.Errorf("Run returned %v, want a deadlock that names the threads", err)
	}
	err = newNetwork(t, withCPUs(t, 2)).Run(context.Background(), 1, func(h dimmnet.Host) error {
		h.Go("receive", func(h dimmnet.Host) error { return pollUntil(h, 8) })
		return h.NewEvent().Wait()
	})
	if err == nil || !strings.Contains(err.Error(), `deadlock`) || !strings.Contains(err.Error(), `[0 0:receive]`) {
		t.Errorf("Run returned %v, want a deadlock that names the threads", err)
	}
}

// TestThreadsAreDeterministic runs a mixture of threads on two nodes twice.
func TestThreadsAreDeterministic(t *testing.T) {
	run := func() sim.Result {
		cfg := withCPUs(t, 1)
		cfg.Seed = 3
		net := newNetwork(t, cfg)
		err := net.Run(context.Background(), 2, func(h dimmnet.Host) error {
			peer := 1 - h.Port().Rank()
			got := h.NewEvent()
			h.Go("receive", func(h dimmnet.Host) error {
				for i := range 20 {
					if err := pollUntil(h, dimmnet.Offset(8+8*i)); err != nil {
						return err
					}
					got.Set()
				}
				return nil
			})
			for i := range 20 {
				h.Spend(dimmnet.Time(i) * 10 * dimmnet.Millisecond)
				h.Port().Store(peer, dimmnet.Offset(8+8*i), 1, 8)
				if err := got.Wait(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return net.Result()
	}
	if a, b := run(), run(); a.TraceHash != b.TraceHash || a.End != b.End || a.Events != b.Events {
		t.Errorf("two runs differ: %+v, then %+v", a, b)
	}
}

// TestWokenThreadsShare: two threads that wake each other all the time go first, but leave its
// share of the CPU to a thread that computes.
func TestWokenThreadsShare(t *testing.T) {
	var took dimmnet.Time
	cfg := withCPUs(t, 1)
	cfg.Limit = 10 * dimmnet.Second
	err := newNetwork(t, cfg).Run(context.Background(), 1, func(h dimmnet.Host) error {
		over, ping, pong := false, h.NewEvent(), h.NewEvent()
		play := func(mine, other dimmnet.Event) func(dimmnet.Host) error {
			return func(h dimmnet.Host) error {
				for !over {
					h.Spend(10 * dimmnet.Microsecond)
					other.Set()
					if err := mine.Wait(); err != nil {
						return err
					}
				}
				other.Set()
				return nil
			}
		}
		h.Go("ping", play(ping, pong))
		h.Go("pong", play(pong, ping))
		h.Spend(dimmnet.Second)
		took, over = h.Now(), true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if took < 2*dimmnet.Second || took > 4*dimmnet.Second {
		t.Errorf("a second of computing took %v beside two threads that wake each other", took)
	}
}

// TestWokenThreadIsLeftAlone: a thread that was just woken and works for a moment keeps its CPU
// when another thread is woken that computes for long.
func TestWokenThreadIsLeftAlone(t *testing.T) {
	var done dimmnet.Time
	err := newNetwork(t, withCPUs(t, 1)).Run(context.Background(), 1, func(h dimmnet.Host) error {
		short, long := h.NewEvent(), h.NewEvent()
		h.Go("short", func(h dimmnet.Host) error {
			err := short.Wait()
			h.Spend(15 * dimmnet.Microsecond)
			done = h.Now()
			return err
		})
		h.Go("long", func(h dimmnet.Host) error {
			err := long.Wait()
			h.Spend(10 * dimmnet.Millisecond)
			return err
		})
		h.Spend(dimmnet.Millisecond) // both sleep by now
		short.Set()
		long.Set()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if done != dimmnet.Millisecond+15*dimmnet.Microsecond {
		t.Errorf("15 us of work that began at 1 ms ended at %v", done)
	}
}

// noticeAt returns a thread that waits for a notice and sets *woken to its clock at the wake-up.
func noticeAt(woken *dimmnet.Time) func(dimmnet.Host) error {
	return func(h dimmnet.Host) error {
		err := h.Notice().Wait()
		*woken = h.Now()
		return err
	}
}

// TestNoticePreempts: a notice wakes a thread at once although another thread computes on the only
// CPU, whether that thread spends its time at once or in pieces.
func TestNoticePreempts(t *testing.T) {
	for _, cut := range []dimmnet.Time{10 * dimmnet.Millisecond, 900 * dimmnet.Microsecond, 7 * dimmnet.Microsecond} {
		var sent, woken dimmnet.Time
		cfg := withCPUs(t, 1)
		err := newNetwork(t, cfg).Run(context.Background(), 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 0 {
				h.Spend(4300 * dimmnet.Microsecond)
				sent = h.Now()
				h.Notify(1)
				return nil
			}
			h.Go("receive", noticeAt(&woken))
			for h.Now() < 10*dimmnet.Millisecond {
				h.Spend(cut)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := sent + 75*dimmnet.Microsecond; woken != want {
			t.Errorf("computing by %v: woken at %v, want %v", cut, woken, want)
		}
	}
}

// TestNoticeInterrupts: a notice arrives after its transit time, and wakes a thread although
// another thread computes on the only CPU.
func TestNoticeInterrupts(t *testing.T) {
	var woken dimmnet.Time
	cfg := withCPUs(t, 1)
	err := newNetwork(t, cfg).Run(context.Background(), 2, func(h dimmnet.Host) error {
		if h.Port().Rank() == 0 {
			h.Spend(10 * dimmnet.Millisecond)
			h.Notify(1)
			return nil
		}
		h.Go("receive", noticeAt(&woken))
		h.Spend(100 * dimmnet.Millisecond)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	least := 10*dimmnet.Millisecond + cfg.Preset.Host.Notify + cfg.Preset.Host.Notice
	if woken < least || woken > least+2*dimmnet.Millisecond {
		t.Errorf("woken at %v, want soon after %v", woken, least)
	}
}
