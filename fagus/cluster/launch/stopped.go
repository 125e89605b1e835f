package launch

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// errStopped is the failure of a rank whose process was stopped for too long. The other ranks
// notice that while the rank is in the job; before and afterwards only the launcher does.
var errStopped = errors.New("it is stopped")

// watchStop kills the group of p if p is stopped for longer than stall, unless stall is 0 or the
// job is paused. The caller calls end when p has ended; end returns errStopped if p was killed.
func watchStop(p *os.Process, stall time.Duration, paused *atomic.Bool) (end func() error) {
	if stall == 0 {
		return func() error { return nil }
	}
	over, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- killStopped(p, stall, paused, over) }()
	return func() error {
		close(over)
		return <-done
	}
}

// killStopped counts its own steps: while this process is stopped, too, nobody else is.
func killStopped(p *os.Process, stall time.Duration, paused *atomic.Bool, over <-chan struct{}) error {
	step := time.Tick(watchEvery)
	for still := time.Duration(0); ; {
		select {
		case <-over:
			return nil
		case <-step:
		}
		if paused.Load() || !isStopped(p.Pid) {
			still = 0
			continue
		}
		if still += watchEvery; still >= stall {
			killGroup(p)
			return fmt.Errorf("%w for %v s (pid %d): --stall sets how long it may be", errStopped, stall.Seconds(), p.Pid)
		}
	}
}
