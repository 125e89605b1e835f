package stream

import "time"

// courtesy decides whether a thread that reads in vain yields its processor.
//
// Where the awaited rank needs the same processor, a yield of less than 10 us lets it run. But a
// yield may also give the processor to a process that computes, for its whole time slice: with one
// such process a barrier over two processors takes 2 ms with yields, and 4 us without. So a yield
// that has taken long is the last one for some time: twice as many are left out each time, up to
// mostLeftOut. Meanwhile threads also sleep sooner, because only a sleeping thread makes room, and
// is woken in the middle of the other's time slice.
type courtesy struct {
	skip    int // yields to leave out
	leftOut int // yields left out the last time; 0: none
}

const (
	longYield    = 200 * time.Microsecond
	leastLeftOut = 1 << 8
	mostLeftOut  = 1 << 16
	// readsPerWake is the number of reads in 60 us, twice the time in which a sleeper wakes.
	readsPerWake = 200
)

// due reports whether the thread is to yield.
func (c *courtesy) due() bool {
	if c.skip > 0 {
		c.skip--
		return false
	}
	return true
}

// took learns that a yield has taken the time d.
func (c *courtesy) took(d time.Duration) {
	if d >= longYield {
		c.leftOut = min(max(2*c.leftOut, leastLeftOut), mostLeftOut)
		c.skip = c.leftOut
	} else if c.leftOut /= 2; c.leftOut < leastLeftOut {
		c.leftOut = 0
	}
}

// reads returns how often Idle reads before it sleeps, instead of most times.
func (c *courtesy) reads(most int) int {
	if c.leftOut > 0 {
		return min(most, readsPerWake)
	}
	return most
}
