package porttest

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// stuckWait waits for an event that nobody sets, and checks that Wait then has the
// error of the port and sleeps no more.
func (t *thread) stuckWait() error {
	event := t.host.NewEvent()
	err := event.Wait()
	if err == nil {
		return fmt.Errorf("porttest: rank %d was woken by an event that nobody set", t.me)
	}
	event.Set()
	for _, e := range []dimmnet.Event{event, t.host.NewEvent()} {
		if now := e.Wait(); now != err || t.Err() != err {
			return fmt.Errorf("porttest: rank %d: Wait failed with %q, then with %v; Err is %v", t.me, err, now, t.Err())
		}
	}
	return err
}

// checkEventSets: Set may come before Wait or after it, many Sets before a Wait are
// one, and Wait takes it back. What was written before Set is there after Wait.
func checkEventSets(e *env, nodes int) error {
	return e.run(nodes, func(body *thread) error {
		there, back := body.host.NewEvent(), body.host.NewEvent()
		rounds := e.rounds(300)
		written := 0
		body.spawn(1, func(t *thread) error {
			for round := range rounds {
				if err := back.Wait(); err != nil {
					return err
				}
				if round%3 == 0 { // the body waits by then, most likely
					if err := t.settle(); err != nil {
						return err
					}
				}
				written = round + 1
				there.Set()
			}
			return nil
		})
		for round := range rounds {
			for range round % 4 {
				there.Set()
			}
			if round%4 > 0 {
				if err := there.Wait(); err != nil {
					return err
				}
			}
			back.Set()
			if round%5 == 0 { // there is set by then, most likely
				if err := body.settle(); err != nil {
					return err
				}
			}
			if err := there.Wait(); err != nil {
				return err
			}
			if written != round+1 {
				return fmt.Errorf("porttest: round %d: after %d Sets and a Wait another Wait returned before the next Set; %d was written", round+1, round%4, written)
			}
		}
		return nil
	})
}

// checkEventPingPong: two threads of a node wake each other by events, on every
// node at once.
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
					return fmt.Errorf("porttest: turn %d came to the thread that had the last", turns)
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
			ping.Wait, // the other has had its last turn
			func() error {
				if want := 2 * e.rounds(1000); turns != want {
					return fmt.Errorf("porttest: %d turns of ping-pong, want %d", turns, want)
				}
				return nil
			})
	})
}

// checkEventAndIdle: a thread that receives wakes the body by an event; neither is
// awake but for that. So the ranks play ping-pong.
func checkEventAndIdle(e *env, nodes int) error {
	return e.run(nodes, func(body *thread) error {
		rounds := uint64(e.rounds(1000))
		heard := body.host.NewEvent()
		var number uint64
		body.spawn(1, func(t *thread) error {
			for round := range rounds {
				if err := t.await(flagData, round+1); err != nil {
					return err
				}
				number = round + 1
				heard.Set()
			}
			return nil
		})
		for round := range rounds {
			send := func() error { return body.signal(body.next, flagData, round+1) }
			receive := func() error {
				if err := heard.Wait(); err != nil || number == round+1 {
					return err
				}
				return fmt.Errorf("porttest: round %d: woken by the flag of round %d", round+1, number)
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

// checkNotice: a notice wakes the thread that waits for it at its rank, from a peer
// or from the own node; it is counted before; what was
// stored before it is there or on its way.
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
						return fmt.Errorf("porttest: %d notices have come, %d says Notices", round+1, n)
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
