package pump

import (
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
)

const patient = 10 * time.Second

// addIdle adds a link without a connection and without goroutines.
func (p *Poll) addIdle(rank int) *link {
	l := &link{received: newRing(), outgoing: newRing(), poll: p}
	p.links[rank].Store(l)
	return l
}

// TestTurns checks that ranks that are always ready do not take the turns of other ranks.
func TestTurns(t *testing.T) {
	const ranks = 50
	p := NewPoll(ranks, nil)
	for rank := 1; rank < ranks; rank++ {
		p.addIdle(rank).received.filled(1)
	}
	for _, most := range []int{1, 4, 16} {
		turns := map[dimmnet.Rank]int{}
		for range 3 * ranks {
			for _, rank := range p.Wait(make([]dimmnet.Rank, most), 0) {
				turns[rank]++
			}
		}
		for rank := dimmnet.Rank(1); rank < ranks; rank++ {
			if turns[rank] < 2*most {
				t.Errorf("of 3 rounds of %d ready ranks, rank %d had %d turns", most, rank, turns[rank])
			}
		}
	}
}

// TestWakeIsKept checks that a thread that does not wait takes no wake-up from one that does.
func TestWakeIsKept(t *testing.T) {
	p := NewPoll(2, nil)
	p.addIdle(1)
	p.Wake()
	p.Wait(make([]dimmnet.Rank, 4), 0)
	if begun := time.Now(); len(p.Wait(make([]dimmnet.Rank, 4), patient)) > 0 || time.Since(begun) >= patient {
		t.Error("the wake-up is lost")
	}
	p.links[1].Load().received.filled(1) // an earlier Wait has taken the wake-up
	if begun := time.Now(); len(p.Wait(make([]dimmnet.Rank, 4), patient)) != 1 || time.Since(begun) >= patient {
		t.Error("Wait does not poll before it sleeps")
	}
}

// TestLateNotify checks that the poll is woken if space is made after a Write that found none,
// and before NotifyWritable.
func TestLateNotify(t *testing.T) {
	p := NewPoll(2, nil)
	l := p.addIdle(1)
	if n, err := l.Write(make([]byte, 2*ringBytes), false); n != ringBytes || err != nil {
		t.Fatalf("Write returned %d, %v", n, err)
	}
	l.NotifyWritable(true)
	if len(p.woken) > 0 {
		t.Error("the poll is woken without space")
	}
	l.NotifyWritable(false)
	l.outgoing.drained(len(l.outgoing.waitBytes()))
	l.NotifyWritable(true)
	if len(p.woken) == 0 {
		t.Error("the poll is not woken by space")
	}
}

// TestWakeStorm checks that no wake-up of the poll is lost between a link's goroutines and a
// thread: it answers each byte of the peer by a byte, or by more than the ring accepts at once.
func TestWakeStorm(t *testing.T) {
	const rounds = 3000
	answer := func(round int) int {
		if round%100 == 0 {
			return ringBytes + 3*chunkBytes
		}
		return 1
	}
	l, peer := newPair(t)
	if _, err := peer.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	back := make(chan error, 1)
	go func() { // the peer reads an answer, and sends the next byte
		p := make([]byte, 8<<10)
		for round := range rounds {
			for n := 0; n < answer(round); {
				k, err := peer.Read(p)
				if n += k; err != nil {
					back <- err
					return
				}
			}
			delay.Here()
			if _, err := peer.Write([]byte{1}); err != nil {
				back <- err
				return
			}
		}
		back <- nil
	}()
	wait := func(round int) {
		if begun := time.Now(); len(l.poll.Wait(make([]dimmnet.Rank, 1), patient)) == 0 && time.Since(begun) >= patient {
			t.Fatalf("round %d: a wake-up is lost", round)
		}
	}
	page := make([]byte, 8<<10)
	for round := range rounds + 1 {
		for {
			if n, err := l.Read(page); err != nil {
				t.Fatal(err)
			} else if n > 0 {
				break
			}
			wait(round)
		}
		if round == rounds {
			break
		}
		for left := answer(round); left > 0; {
			n, err := l.Write(page[:min(left, len(page))], false)
			if err != nil {
				t.Fatal(err)
			}
			if left -= n; n == 0 {
				l.NotifyWritable(true)
				wait(round)
			}
		}
		l.NotifyWritable(false)
	}
	if err := <-back; err != nil {
		t.Error(err)
	}
}
