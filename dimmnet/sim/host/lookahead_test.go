package host_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// TestThreadsLookAhead counts the events of two ranks that exchange words. A thread is resumed once
// a word, for the pass in which it lands.
func TestThreadsLookAhead(t *testing.T) {
	const rounds, loads = 100, 2
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	err = net.Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		peer := 1 - p.Rank()
		for i := uint64(1); i <= rounds; i++ {
			if p.Rank() == 0 {
				p.Store(peer, 0, i, 8)
			}
			for landed := false; !landed; {
				mark := p.Arrivals()
				for range loads {
					landed = p.Load(0) == i
				}
				if !landed {
					p.Idle(mark)
				}
			}
			if p.Rank() == 1 {
				p.Store(peer, 0, i, 8)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	events := net.Result().Events
	const messages = 2 * rounds
	if most := uint64(messages * 5); events > most {
		t.Errorf("%d events for %d messages, want %d at most: the call, a switch, the receiver, memory and the thread", events, messages, most)
	}
}
