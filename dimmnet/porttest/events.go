package porttest

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// stuckWait checks that Wait for an event that is never set returns the port's error, and again.
func (t *thread) stuckWait() error {
	event := t.host.NewEvent()
	err := event.Wait()
	if err == nil {
		return fmt.Errorf("porttest: rank %d waited for an event that no thread sets, and Wait returned nil", t.me)
	}
	event.Set()
	for _, e := range []dimmnet.Event{event, t.host.NewEvent()} {
		if now := e.Wait(); now != err || t.Err() != err {
			return fmt.Errorf("porttest: rank %d: Wait failed with %q, then returned %v; Err is %v", t.me, err, now, t.Err())
		}
	}
	return err
}

// checkEventSets: Set may come before Wait or after it, several Sets before a Wait count as
// one, and Wait clears the event. What was written before Set is visible after Wait.
func checkEventSets(e *env, nodes int) error {
	return e.run(nodes, func(body *thread) error {
		forth, back := body.host.NewEvent(), body.host.NewEvent()
		rounds := e.rounds(300)
		written := 0
		body.spawn(1, func(t *thread) error {
			for round := range rounds {
				if err := back.Wait(); err != nil {
					return err
				}
				if round%3 == 0 { // the body probably waits by then
					if err := t.settle(); err != nil {
						return err
					}
				}
				written = round + 1
				forth.Set()
			}
			return nil
		})
		for round := range rounds {
			for range round % 4 {
				forth.Set()
			}
			if round%4 > 0 {
				if err := forth.Wait(); err != nil {
					return err
				}
			}
			back.Set()
			if round%5 == 0 { // forth is probably set by then
				if err := body.settle(); err != nil {
					return err
				}
			}
			if err := forth.Wait(); err != nil {
				return err
			}
			if written != round+1 {
				return fmt.Errorf("porttest: round %d: after %d Sets and one Wait, another Wait returned before the next Set; the thread had written %d", round+1, round%4, written)
			}
		}
		return nil
	})
}

// checkEventPingPong: two threads of a node wake each other by events, on every node at once.
func checkEventPingPong(e *env, nodes int) error {
	return e.run(nodes, func(body *thread) error {
		ping, pong := body.host.NewEvent(), body.host.NewEvent()
		turns := 0
		play := func(mine, other dimmnet.Event, parity int) error {
			for range e.rounds(1000) {
				if err := mine.Wait(); err != nil {
					return err
				}
				if turns%2 != parity {
					return fmt.Errorf("porttest: turn %d: the same thread had the turn before", turns)
				}
				turns++
				other.Set()
			}
			return nil
		}
		body.spawn(1, func(*thread) error { return play(pong, ping, 1) })
		ping.Set()
		return inOrder(
			func() error { return play(ping, pong, 0) },
			ping.Wait, // the other thread has had its last turn
			func() error {
				if want := 2 * e.rounds(1000); turns != want {
					return fmt.Errorf("porttest: ping-pong had %d turns, want %d", turns, want)
				}
				return nil
			})
	})
}

// checkEventAndIdle: ping-pong in which a helper receives a flag and wakes the body by an event.
func checkEventAndIdle(e *env, nodes int) error {
	return e.run(nodes, func(body *thread) error {
		rounds := uint64(e.rounds(1000))
		received := body.host.NewEvent()
		var number uint64
		body.spawn(1, func(t *thread) error {
			for round := range rounds {
				if err := t.await(flagData, round+1); err != nil {
					return err
				}
				number = round + 1
				received.Set()
			}
			return nil
		})
		for round := range rounds {
			send := func() error { return body.signal(body.next, flagData, round+1) }
			receive := func() error {
				if err := received.Wait(); err != nil || number == round+1 {
					return err
				}
				return fmt.Errorf("porttest: round %d: woken by the flag of round %d, want its own", round+1, number)
			}
			if body.me != 0 {
				send, receive = receive, send
			}
			if err := inOrder(send, receive); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkNotice: a notice from any node wakes the thread that waits for it. Notices counts the
// notice before the wake-up. A store made before the notice has landed or will land.
func checkNotice(e *env, nodes int) error {
	return e.run(nodes, func(body *thread) error {
		for round := range uint64(e.rounds(20)) {
			err := body.exchange(
				func() error {
					defer body.host.Notify(body.next)
					return body.storeWord(body.next, dataStart, round+1)
				},
				func() error {
					if err := body.host.Notice().Wait(); err != nil {
						return err
					}
					if n := body.host.Notices(); n != round+1 {
						return fmt.Errorf("porttest: Notices is %d, want %d", round+1, n)
					}
					return body.awaitWord(dataStart, round+1)
				})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
