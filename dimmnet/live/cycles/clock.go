package cycles

import (
	"math/bits"
	"time"
)

const (
	calibration = 10 * time.Millisecond  // before that, the rate of the counter is not known
	period      = 100 * time.Millisecond // between two comparisons with the system's clock
	tolerance   = time.Millisecond       // in a period; a larger difference is a jump
	tries       = 3                      // of reading both clocks at once
)

// Clock tells the time since its start. The zero Clock is not valid.
type Clock struct {
	last time.Duration // the latest result of Now

	at    time.Duration // the time when the counter was base
	base  uint64
	rate  uint64 // ns per tick, times 2^32
	ticks uint64 // for how many ticks from base at, base and rate hold; 0 if never

	start   time.Time
	system  bool // the counter is not used
	started bool // first and from are set
	first   uint64
	from    time.Duration // the time when the counter was first
}

// Start returns a clock whose time 0 is start.
func Start(start time.Time) Clock { return Clock{start: start, system: !steady()} }

// Now returns the time since the start. It never decreases.
func (c *Clock) Now() time.Duration {
	if ticks := counter(); c.holds(ticks) {
		return c.time(ticks)
	}
	// The thread may lose the processor between the two clocks. Of several tries, the one in which
	// the counter advanced least is correct.
	var at uint64
	var system time.Duration
	least := ^uint64(0)
	for range tries {
		before := counter()
		now := time.Since(c.start)
		if took := counter() - before; took < least {
			least, at, system = took, before+took/2, now
		}
	}
	return c.compare(at, system)
}

// holds reports whether the counter alone tells the time.
func (c *Clock) holds(ticks uint64) bool { return ticks-c.base < c.ticks }

func (c *Clock) time(ticks uint64) time.Duration {
	c.last = max(c.last, c.at+c.elapsed(ticks))
	return c.last
}

// elapsed returns the time since the counter was base.
func (c *Clock) elapsed(ticks uint64) time.Duration {
	high, low := bits.Mul64(ticks-c.base, c.rate)
	return time.Duration(high<<32 | low>>32)
}

// compare sets the rate of the counter anew, and returns the time.
func (c *Clock) compare(ticks uint64, system time.Duration) time.Duration {
	c.last = max(c.last, system)
	if c.system {
		return c.last
	}
	if !c.started {
		c.started, c.first, c.from = true, ticks, system
	}
	if system-c.from < calibration {
		return c.last
	}
	if ticks <= c.first {
		return c.giveUp()
	}
	if c.ticks > 0 {
		// 1 % of a long pause: the rate is measured, and not exact.
		allowed := tolerance + (system-c.at)/100
		if apart := c.at + c.elapsed(ticks) - system; ticks < c.base || apart > allowed || apart < -allowed {
			return c.giveUp()
		}
	}
	high, low := bits.Mul64(uint64(system-c.from), 1<<32)
	c.rate, _ = bits.Div64(high, low, ticks-c.first)
	c.at, c.base = system, ticks
	c.ticks = uint64(float64(ticks-c.first) / float64(system-c.from) * float64(period))
	return c.last
}

func (c *Clock) giveUp() time.Duration {
	c.system, c.ticks = true, 0
	return c.last
}
