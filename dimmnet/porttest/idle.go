package porttest

import (
	"bytes"
	"fmt"
	"runtime"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// checkRing: a flag goes around the ranks; each rank idles until the flag comes. With two ranks
// this is ping-pong. A lost wake-up stops all of the ranks.
func checkRing(e *env, nodes int) error {
	return e.ring(nodes, 3000, func(t *thread, lap uint64) error { return t.await(flagData, lap+1) })
}

// ring lets a flag go around the ranks for some laps. receive awaits it.
func (e *env) ring(nodes, laps int, receive func(t *thread, lap uint64) error) error {
	return e.run(nodes, func(t *thread) error {
		for lap := range uint64(e.rounds(laps)) {
			first := func() error { return t.signal(t.next, flagData, lap+1) }
			second := func() error { return receive(t, lap) }
			if t.me != 0 {
				first, second = second, first
			}
			if err := inOrder(first, second); err != nil {
				return fmt.Errorf("porttest: lap %d: %w", lap, err)
			}
		}
		return nil
	})
}

// checkNarrowRing: a thread that reads less than a word is woken as after Loads, and counts polls.
func checkNarrowRing(e *env, nodes int) error {
	return e.ring(nodes, 1000, func(t *thread, lap uint64) error {
		n := 1 + int(lap)%min(t.flagBytes, word-1)
		before := t.Counters().Polls
		got, want := make([]byte, n), littleEndian(lap+1, n)
		if err := dimmnet.Until(t.Port, func() bool {
			t.Read(got, flagData)
			return bytes.Equal(got, want)
		}); err != nil {
			return err
		}
		if t.Counters().Polls == before {
			return fmt.Errorf("porttest: rank %d read a flag of %d bytes, but Counters.Polls did not change", t.me, n)
		}
		return nil
	})
}

// checkAllToAll: every rank receives a flag from every rank, itself included.
func checkAllToAll(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		for round := range uint64(e.rounds(300)) {
			// Rounds use two sets of flags in turn. A rank that sends in round k+2 has received
			// all flags of round k+1, so all ranks have finished round k.
			flag := func(r int) dimmnet.Offset { return rankFlag(dimmnet.Rank(r + 32*int(round%2))) }
			for r := range nodes {
				if err := t.signal(dimmnet.Rank(r), flag(int(t.me)), round+1); err != nil {
					return err
				}
			}
			for r := range nodes {
				if err := t.await(flag(r), round+1); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// checkArrivalBeforeIdle: an arrival after Arrivals ends every Idle with that mark.
func checkArrivalBeforeIdle(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		for range e.rounds(2000) {
			t.settled++
			mark := t.Arrivals()
			if err := t.signal(t.me, flagSelf, t.settled); err != nil {
				return err
			}
			for t.Arrivals() == mark {
				t.Idle(mark) // may return earlier
				if err := t.runErr(); err != nil {
					return err
				}
			}
			t.Idle(mark)
			if err := t.await(flagSelf, t.settled); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkArrivalSeenBeforeIdle: Idle returns if its mark is older than a store already loaded.
func checkArrivalSeenBeforeIdle(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		for seq := range uint64(e.rounds(500)) {
			if t.me == 1 {
				err := inOrder(
					func() error { return t.await(flagData, seq+1) },
					func() error { return t.signal(0, flagAck, seq+1) })
				if err != nil {
					return err
				}
				continue
			}
			mark := t.Arrivals()
			if err := t.signal(1, flagData, seq+1); err != nil {
				return err
			}
			for t.Load(flagAck)&t.flagMask() != (seq+1)&t.flagMask() {
				if err := t.runErr(); err != nil {
					return err
				}
				runtime.Gosched()
			}
			t.Idle(mark)
		}
		return nil
	})
}
