package cycles

import (
	"math/rand/v2"
	"testing"
	"time"
)

// ask is Now with given values of the counter and of the system's clock.
func (c *Clock) ask(ticks uint64, system time.Duration) time.Duration {
	if !c.holds(ticks) {
		return c.compare(ticks, system)
	}
	return c.time(ticks)
}

// TestFollowsTheSystem has counters of several rates, pauses between calls, and a system's clock
// that is adjusted. The time never decreases, and follows the system's clock.
func TestFollowsTheSystem(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		rate := []float64{0.024, 1, 2.4, 4.9}[seed%4] // ticks per ns
		var c Clock
		system, last := time.Duration(r.IntN(1000)), time.Duration(0)
		first, counted := r.Uint64()>>1, 0.0
		for range 20_000 {
			d := r.ExpFloat64() * 50e3
			if r.IntN(1000) == 0 {
				d *= 1e5 // a pause of seconds
			}
			system += time.Duration(d * (1 + 50e-6*float64(seed%5)))
			counted += d * rate
			now := c.ask(first+uint64(counted), system)
			if now < last {
				t.Fatalf("seed %d: %v after %v", seed, now, last)
			}
			if apart := now - system; apart > 200*time.Microsecond || apart < -200*time.Microsecond {
				t.Fatalf("seed %d: the clock says %v, the system %v", seed, now, system)
			}
			last = now
		}
		if c.system || c.ticks == 0 {
			t.Errorf("seed %d: the counter is not used: %+v", seed, c)
		}
	}
}

// TestJump has the counter jump: the clock becomes the system's, and never decreases.
func TestJump(t *testing.T) {
	for _, jump := range []int64{-1 << 40, -3e8, -1e8, 2e8, 3e8, 1 << 40} {
		var c Clock
		ticks, system, last := uint64(1<<50), time.Duration(0), time.Duration(0)
		for step := range 4000 {
			system += time.Millisecond
			ticks += 3e6
			if step == 2000 {
				ticks += uint64(jump)
			}
			now := c.ask(ticks, system)
			if now < last {
				t.Fatalf("jump of %d: %v after %v", jump, now, last)
			}
			last = now
		}
		if apart := last - system; !c.system || apart < 0 || apart > 10*time.Millisecond {
			t.Errorf("jump of %d: the clock says %v, the system %v; uses the system's: %v", jump, last, system, c.system)
		}
	}
}

// TestStopped has a counter that does not count.
func TestStopped(t *testing.T) {
	var c Clock
	for ms := range 100 {
		if system := time.Duration(ms) * time.Millisecond; c.ask(7, system) != system {
			t.Fatalf("%v after %v", c.last, system)
		}
	}
}

// TestRealCounter compares the clock of this processor with the system's.
func TestRealCounter(t *testing.T) {
	start := time.Now()
	c := Start(start)
	last, most := time.Duration(0), time.Duration(0)
	for time.Since(start) < 300*time.Millisecond {
		before := time.Since(start)
		now := c.Now()
		after := time.Since(start)
		if now < last {
			t.Fatalf("%v after %v", now, last)
		}
		last = now
		most = max(most, before-now, now-after)
	}
	if most > tolerance {
		t.Errorf("the clock differs from the system's by up to %v", most)
	}
	t.Logf("at most %v from the system's clock; uses it: %v", most, c.system)
}

func BenchmarkNow(b *testing.B) {
	c := Start(time.Now())
	for b.Loop() {
		c.Now()
	}
}

func BenchmarkSystem(b *testing.B) {
	start := time.Now()
	for b.Loop() {
		_ = time.Since(start)
	}
}
