package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// withCPUs is environment D with so many CPUs a node.
func withCPUs(t *testing.T, cpus int) sim.Config {
	t.Helper()
	preset, err := sim.LoadPreset("D")
	if err != nil {
		t.Fatal(err)
	}
	preset.Host.CPUs = cpus
	return sim.Config{Preset: &preset}
}

// pollUntil polls a word of the own LLCM until it is not 0.
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

// TestPollingTakesACPU lets one thread compute for a second and others poll: on
// one CPU the polls take their share, whatever the model says of rates.
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

// TestSleepingTakesNone: a thread that waits for an event costs nothing, and is
// there as soon as who sets it goes on computing.
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
			t.Errorf("a second of computing took %v", h.Now())
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

// TestEventsPassTurns counts to and fro between two threads.
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
					t.Fatalf("turn %d: count %d", i, count)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestThreadDeadlock: two that poll on one CPU, or wait for events, are found out.
func TestThreadDeadlock(t *testing.T) {
	err := newNetwork(t, withCPUs(t, 1)).Run(context.Background(), 2, func(h dimmnet.Host) error {
		h.Go("receive", func(h dimmnet.Host) error { return pollUntil(h, 8) })
		h.Go("send", func(h dimmnet.Host) error { return h.NewEvent().Wait() })
		return pollUntil(h, 16)
	})
	if err == nil || !strings.Contains(err.Error(), "deadlock") {
		t.Errorf("error %v", err)
	}
	err = newNetwork(t, withCPUs(t, 2)).Run(context.Background(), 1, func(h dimmnet.Host) error {
		h.Go("receive", func(h dimmnet.Host) error { return pollUntil(h, 8) })
		return h.NewEvent().Wait()
	})
	if err == nil || !strings.Contains(err.Error(), `deadlock`) || !strings.Contains(err.Error(), `[0 0:receive]`) {
		t.Errorf("error %v", err)
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
		t.Errorf("%+v, then %+v", a, b)
	}
}

// TestWokenThreadsShare: two threads that wake each other all the time, and so are
// preferred, leave its share to one that computes.
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
		t.Errorf("a second of computing took %v beside two threads that take turns", took)
	}
}

// TestWokenThreadIsLeftAlone: who has just been woken and works for a moment is not
// pushed aside by the next one, which would compute for long.
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
		t.Errorf("15 us of work that began after 1 ms were done at %v", done)
	}
}

// TestNoticePreempts: a notice wakes a thread at once although another computes on the
// only CPU, however it cuts what it computes.
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
			h.Go("receive", func(h dimmnet.Host) error {
				err := h.Notice().Wait()
				woken = h.Now()
				return err
			})
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

// TestNoticeInterrupts: a notice takes its time, and wakes a thread although
// another computes on the only CPU.
func TestNoticeInterrupts(t *testing.T) {
	var woken dimmnet.Time
	cfg := withCPUs(t, 1)
	err := newNetwork(t, cfg).Run(context.Background(), 2, func(h dimmnet.Host) error {
		if h.Port().Rank() == 0 {
			h.Spend(10 * dimmnet.Millisecond)
			h.Notify(1)
			return nil
		}
		h.Go("receive", func(h dimmnet.Host) error {
			err := h.Notice().Wait()
			woken = h.Now()
			return err
		})
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
