package porttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/fagus-dsm/fagus/dimmnet"
)

func threadCases() []testCase {
	alone, two, some := []int{1}, []int{2}, []int{1, 2, 5}
	return []testCase{
		{"ThreadHost", some, checkThreadHost},
		{"ThreadCounters", alone, checkThreadCounters},
		{"ThreadMemory", alone, checkThreadMemory},
		{"ThreadOrder", some, checkThreadOrder},
		{"ThreadsIdle", some, checkThreadsIdle},
		{"ThreadsOutlive", some, checkThreadsOutlive},
		{"EventSets", alone, checkEventSets},
		{"Notice", some, checkNotice},
		{"EventPingPong", some, checkEventPingPong},
		{"EventAndIdle", two, checkEventAndIdle},
		{"ThreadFails", some, checkThreadFails},
		{"ThreadPanics", some, checkThreadPanics},
		{"CancelledWait", some, checkCancelledWait},
		{"DeadlockWait", some, checkDeadlockWait},
	}
}

// helperFlag returns the flag that the previous rank's helper i stores and this rank's polls.
func helperFlag(i int) dimmnet.Offset { return flagThread + dimmnet.Offset((helpers+1+i)*word) }

// checkThreadHost: a thread has its node's rank and limits. Its clock is not behind the clock of
// the thread that started it. It can start another thread.
func checkThreadHost(e *env, nodes int) error {
	return e.run(nodes, func(body *thread) error {
		began := body.host.Now()
		done := body.host.NewEvent()
		var deepest func(t *thread, depth int) error
		deepest = func(t *thread, depth int) error {
			switch {
			case t.me != body.me || t.Nodes() != nodes || t.limits != body.limits:
				return fmt.Errorf("porttest: a thread of rank %d reports rank %d of %d and limits %+v: want rank %d of %d and limits %+v",
					body.me, t.me, t.Nodes(), t.limits, body.me, nodes, body.limits)
			case t.host.Now() < began:
				return fmt.Errorf("porttest: rank %d started a thread at %v, but the thread's clock is %v", t.me, began, t.host.Now())
			case depth == helpers:
				done.Set()
				return nil
			}
			t.spawn(depth+1, func(u *thread) error { return deepest(u, depth+1) })
			return nil
		}
		body.spawn(1, func(t *thread) error { return deepest(t, 1) })
		return done.Wait()
	})
}

// checkThreadCounters: a thread's port counts only the work of this thread.
func checkThreadCounters(e *env, nodes int) error {
	return e.run(nodes, func(body *thread) error {
		done := body.host.NewEvent()
		body.spawn(1, func(t *thread) error {
			defer done.Set()
			for range 10 {
				if err := t.storeWord(t.me, target, 1); err != nil {
					return err
				}
			}
			if c := t.Counters(); c.Stores != uint64(10*word/t.flagBytes) || c.Bytes != 10*word {
				return fmt.Errorf("porttest: a thread stored 10 words by %d bytes, but its counters are %+v", t.flagBytes, c)
			}
			return nil
		})
		if err := done.Wait(); err != nil {
			return err
		}
		if c := body.Counters(); c != (dimmnet.Counters{}) {
			return fmt.Errorf("porttest: a body only waited for a thread, but its counters are %+v", c)
		}
		return nil
	})
}

// checkThreadMemory: bytes of one thread that have landed are visible to another thread of the
// node after an event. Threads that store to different bytes of a word do not disturb each other.
func checkThreadMemory(e *env, nodes int) error {
	const last = 250
	return e.run(nodes, func(body *thread) error {
		for round := range e.rounds(20) {
			var done [helpers + 1]dimmnet.Event
			bulk := round%2 == 1 && body.limits.Bulk > 0
			location := func(i int) (dimmnet.Offset, []byte) {
				if bulk {
					return dimmnet.Offset(body.limits.LLCM + i*100), noise(uint64(round*8+i), 77)
				}
				return dataStart + dimmnet.Offset(i*100), noise(uint64(round*8+i), 77)
			}
			for i := 1; i <= helpers; i++ {
				done[i] = body.host.NewEvent()
				body.spawn(i, func(t *thread) error {
					for v := uint64(1); v <= last; v++ {
						if err := t.post(func() bool { return t.Store(t.me, target+dimmnet.Offset(i), v, 1) }); err != nil {
							return err
						}
					}
					// in every earlier round, a helper with this number has called settle twice
					t.settled = 2 * uint64(round)
					off, p := location(i)
					err := inOrder(func() error { return t.put(off, p) }, t.settle)
					done[i].Set()
					return err
				})
			}
			for i := 1; i <= helpers; i++ {
				if err := done[i].Wait(); err != nil {
					return err
				}
				off, p := location(i)
				if err := body.expect("what a thread has put", off, p); err != nil {
					return err
				}
			}
			if got := body.Load(target) & 0xffffff00; got != last<<8|last<<16|last<<24 {
				return fmt.Errorf("porttest: three threads stored bytes up to %#x to one word; it is %#x", last, got)
			}
		}
		return nil
	})
}

// checkThreadOrder: each thread of a rank sends blocks and then a flag to the same thread of
// the next rank, all threads at once. The posts of one thread land in order.
func checkThreadOrder(e *env, nodes int) error {
	return e.run(nodes, func(body *thread) error {
		size := min(body.limits.Block, (body.limits.LLCM-int(dataStart))/helpers/word*word, 1000)
		for i := 1; i <= helpers; i++ {
			body.spawn(i, func(t *thread) error {
				at := dataStart + dimmnet.Offset((i-1)*(size/word*word))
				n := size / word * word
				if n == 0 { // blocks are shorter than a word
					at, n = dataStart+dimmnet.Offset(i*word), size
				}
				for round := range uint64(e.rounds(500)) {
					data := func(r dimmnet.Rank) []byte { return noise(round<<16|uint64(i)<<8|uint64(r), n) }
					err := inOrder(
						func() error { return t.write(t.next, at, data(t.me)) },
						func() error { return t.signal(t.next, helperFlag(2*i), round+1) },
						func() error { return t.await(helperFlag(2*i), round+1) },
						func() error { return t.expect("a block before its flag", at, data(t.prev)) },
						func() error { return t.signal(t.prev, helperFlag(2*i+1), round+1) },
						func() error { return t.await(helperFlag(2*i+1), round+1) })
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		return nil
	})
}

// checkThreadsIdle: a store wakes all idle threads of a node, including the body, every time.
func checkThreadsIdle(e *env, nodes int) error {
	return e.run(nodes, func(body *thread) error {
		rounds := uint64(e.rounds(500))
		var received [helpers + 1]dimmnet.Event
		for i := 1; i <= helpers; i++ {
			received[i] = body.host.NewEvent()
			body.spawn(i, func(t *thread) error {
				for round := range rounds {
					if err := t.await(flagData, round+1); err != nil {
						return err
					}
					received[i].Set()
				}
				return nil
			})
		}
		for round := range rounds {
			err := inOrder(
				func() error { return body.signal(body.next, flagData, round+1) },
				func() error { return body.await(flagData, round+1) })
			for i := 1; i <= helpers && err == nil; i++ {
				err = received[i].Wait()
			}
			if err == nil { // the next round must not overtake a thread
				err = inOrder(
					func() error { return body.signal(body.prev, flagAck, round+1) },
					func() error { return body.await(flagAck, round+1) })
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// checkThreadsOutlive: a run waits for threads whose body has returned, and their ports work.
func checkThreadsOutlive(e *env, nodes int) error {
	var ended atomic.Int64
	err := e.run(nodes, func(body *thread) error {
		for i := 1; i <= helpers; i++ {
			body.spawn(i, afterIdling(func(t *thread) error {
				err := inOrder(
					func() error { return t.signal(t.next, helperFlag(i), 1) },
					func() error { return t.await(helperFlag(i), 1) })
				ended.Add(1)
				return err
			}))
		}
		return nil
	})
	if n := ended.Load(); err == nil && n != int64(nodes*helpers) {
		return fmt.Errorf("porttest: Run returned when %d of %d threads had", n, nodes*helpers)
	}
	return err
}

// checkThreadFails: when a thread returns an error, all waiting threads stop waiting, Run
// returns the error, and the ports' error names the thread.
func checkThreadFails(e *env, nodes int) error {
	boom := errors.New("boom")
	return e.threadFails(nodes, boom.Error(), func(*thread) error { return boom }, boom)
}

// checkThreadPanics: a thread's panic stops all waiting threads, and the errors contain its value.
func checkThreadPanics(e *env, nodes int) error {
	const value = "porttest panics on purpose: 4712"
	return e.threadFails(nodes, value, func(*thread) error { panic(value) }, nil)
}

// threadFails runs last on the last helper of the last rank, when all other threads wait, half
// of them for events. Run must return target, unless that is nil.
func (e *env) threadFails(nodes int, text string, last func(*thread) error, target error) error {
	failure, err := e.runStuck(context.Background(), nodes, func(body *thread) error {
		for i := 1; i < helpers; i++ {
			body.spawn(i, (*thread).stuckWait)
		}
		body.spawn(helpers, afterIdling(last))
		err := body.stuck()
		for _, want := range []string{text, fmt.Sprint(body.me), helperName(helpers)} {
			if !strings.Contains(err.Error(), want) {
				return fmt.Errorf("porttest: a thread failed; the error of the ports is %q: want %q in it", err, want)
			}
		}
		return err
	})
	if err == nil && target != nil {
		return want(failure, target)
	}
	if err == nil && (!strings.Contains(failure.Error(), text) || !strings.Contains(failure.Error(), helperName(helpers))) {
		return fmt.Errorf("porttest: %s panicked with %q, Run returned %w", helperName(helpers), text, failure)
	}
	return err
}

// checkCancelledWait: a cancelled context wakes threads that wait for events.
func checkCancelledWait(e *env, nodes int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return e.wantStuck(ctx, nodes, context.Canceled, func(body *thread) error {
		body.spawn(1, (*thread).stuckWait)
		body.spawn(2, afterIdling(func(t *thread) error {
			cancel()
			return t.loadOn()
		}))
		return body.stuckWait()
	})
}

// checkDeadlockWait: a run fails if every thread waits (for an event or an arrival) or has
// returned. A port that cannot detect this may wait for the end of its context.
func checkDeadlockWait(e *env, nodes int) error {
	returns := func(*thread) error { return nil }
	for _, threads := range [][]func(*thread) error{
		{(*thread).stuckWait},
		{(*thread).stuckWait, (*thread).stuckWait},
		{(*thread).stuckWait, (*thread).stuck},
		{returns, afterIdling((*thread).stuckWait)},
		{(*thread).stuck, afterIdling(returns)},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), e.patience)
		_, err := e.runStuck(ctx, nodes, func(body *thread) error {
			for i, f := range threads[1:] {
				body.spawn(i+1, f)
			}
			return threads[0](body)
		})
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}
