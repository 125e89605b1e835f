//go:build fagusdelay

package delay_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
)

// TestSchedules checks the number of schedules against the binomial coefficients, without a bound
// and with one.
func TestSchedules(t *testing.T) {
	for _, c := range []struct{ preemptions, want int }{
		{0, 2},
		{1, 2 + 2*4},
		{-1, 252}, // 10 over 5
	} {
		orders := map[string]bool{}
		schedules, err := delay.Explore(c.preemptions, func() []func() error {
			var order []byte
			thread := func(name byte) func() error {
				return func() error {
					for range 4 {
						order = append(order, name)
						delay.Here()
					}
					if order = append(order, name); len(order) == 10 {
						orders[string(order)] = true
					}
					return nil
				}
			}
			return []func() error{thread('a'), thread('b')}
		})
		if err != nil || schedules != c.want || len(orders) != c.want {
			t.Errorf("%d preemptions: %d schedules, %d orders, %v: want %d and no error", c.preemptions, schedules, len(orders), err, c.want)
		}
	}
}

// TestFinds checks that Explore finds mistakes, and reports none where there is none.
func TestFinds(t *testing.T) {
	for _, c := range []struct {
		name    string
		want    string // in the error
		program func() []func() error
	}{
		{"lost update", "1 of 2", counts(new(noLock), 2)},
		{"mutex", "", counts(new(delay.Mutex), 3)},
		{"two mutexes", "threads [0 1] sleep forever", func() []func() error {
			var a, b delay.Mutex
			both := func(first, second *delay.Mutex) func() error {
				return func() error {
					first.Lock()
					defer first.Unlock()
					second.Lock()
					defer second.Unlock()
					return nil
				}
			}
			return []func() error{both(&a, &b), both(&b, &a)}
		}},
		{"cond", "", waits(true, (*delay.Cond).Broadcast)},
		{"Signal for Broadcast", "sleep forever", waits(true, (*delay.Cond).Signal)},
		{"check before lock", "sleep forever", waits(false, (*delay.Cond).Broadcast)},
		{"futex", "", futex(true, 2)},
		{"futex, one woken", "sleep forever", futex(true, 1)},
		{"futex, woken first", "sleep forever", futex(false, 2)},
		{"endless loop", "do not end in", func() []func() error {
			var stop bool
			return []func() error{
				func() error {
					for !stop {
						delay.Here()
					}
					return nil
				},
				func() error { stop = true; return nil },
			}
		}},
	} {
		schedules, err := delay.Explore(-1, c.program)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v, want no error", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "explore_test.go:")):
			t.Errorf("%s: %d schedules, %v: want an error with %q and the steps", c.name, schedules, err, c.want)
		}
	}
}

type noLock struct{}

func (*noLock) Lock()   {}
func (*noLock) Unlock() {}

// counts returns a program in which threads count to their number. The last checks the sum.
func counts(mu sync.Locker, threads int) func() []func() error {
	return func() []func() error {
		var n, ended int
		count := func() error {
			mu.Lock()
			defer mu.Unlock()
			old := n
			delay.Here()
			n = old + 1
			if ended++; ended == threads && n != threads {
				return fmt.Errorf("%d of %d", n, threads)
			}
			return nil
		}
		return slices.Repeat([]func() error{count}, threads)
	}
}

// waits returns a program in which two threads wait for a third by a Cond.
func waits(locked bool, wake func(*delay.Cond)) func() []func() error {
	return func() []func() error {
		var mu delay.Mutex
		var set bool
		cond := delay.Cond{L: &mu}
		wait := func() error {
			locked := locked
			if !locked && set {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			for !locked || !set {
				cond.Wait()
				locked = true
			}
			return nil
		}
		return []func() error{wait, wait, func() error {
			mu.Lock()
			defer mu.Unlock()
			set = true
			wake(&cond)
			return nil
		}}
	}
}

// futex returns a program in which two threads wait for a word that a third changes.
func futex(changesFirst bool, wakes int) func() []func() error {
	return func() []func() error {
		word, set := new(uint32), false
		wait := func() error {
			for !set {
				if !delay.Sleep(word, 0) {
					return errors.New("Sleep returned false")
				}
			}
			return nil
		}
		change := func() { set = true; atomic.StoreUint32(word, 1) }
		return []func() error{wait, wait, func() error {
			if changesFirst {
				change()
			}
			if !delay.Wake(word, wakes) {
				return errors.New("Wake returned false")
			}
			delay.Here()
			change()
			return nil
		}}
	}
}
