//go:build fagusdelay

package delay

import (
	"math/rand/v2"
	"runtime"
	"time"
)

// Here delays the caller at random: of 64 calls 48 return at once, 12 yield the processor, and 4
// sleep for up to 200 us. There is no seed, because the threads' order would not repeat with it.
// During Explore it is a step of the schedule instead.
func Here() {
	if e := exploring.Load(); e != nil {
		e.step()
		return
	}
	switch n := rand.IntN(64); {
	case n < 48:
	case n < 60:
		runtime.Gosched()
	default:
		time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
	}
}
