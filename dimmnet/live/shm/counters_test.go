//go:build linux

package shm

import (
	"fmt"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestWakesWrap wakes sleeping ranks while their numbers of wake-ups pass 2^32. A lost wake-up
// takes longestSleep.
func TestWakesWrap(t *testing.T) {
	const rounds, before = 12, 3
	var stored [2]time.Time      // by rank: when the last word was stored there
	var slowest [2]time.Duration // by rank: the longest time from a Store to its arrival
	err := New(Config{Patience: 5 * time.Second}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port().(*port)
		peer := 1 - p.Rank()
		p.own.wakes.Store(1<<32 - before)
		for round := range uint64(rounds) {
			if round%2 == uint64(p.Rank()) {
				for deadline := time.Now().Add(10 * time.Second); p.run.segments[peer].asleep.Load() == 0; {
					if time.Now().After(deadline) {
						return fmt.Errorf("round %d: rank %d does not fall asleep", round, peer)
					}
					time.Sleep(time.Millisecond)
				}
				time.Sleep(5 * time.Millisecond) // it has announced that it may sleep
				stored[peer] = time.Now()
				p.Store(peer, 0, round+1, word)
				continue
			}
			if err := dimmnet.Drive(p, quiet{}, func() bool { return p.Load(0) == round+1 }); err != nil {
				return err
			}
			slowest[p.Rank()] = max(slowest[p.Rank()], time.Since(stored[p.Rank()]))
		}
		if n := p.own.wakes.Load(); n > rounds {
			return fmt.Errorf("rank %d has %d wake-ups: they have not passed 2^32", p.Rank(), n)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if slow := max(slowest[0], slowest[1]); slow > longestSleep*3/4 {
		t.Errorf("a word was noticed %v after its Store", slow)
	}
}

// quiet is a Stepper that never makes progress.
type quiet struct{}

func (quiet) Step() (bool, error) { return false, nil }
