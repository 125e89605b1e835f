package sim_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

func udpNetwork(t *testing.T, cuts ...sim.Fault) *sim.Network {
	t.Helper()
	return newNetwork(t, sim.Config{UDP: &sim.UDP{}, Faults: cuts})
}

// TestUDPGivesUp separates two of three ranks: the run fails with an error that names both,
// and no thread keeps waiting. The other pairs communicate meanwhile.
func TestUDPGivesUp(t *testing.T) {
	net := udpNetwork(t, sim.Fault{Kind: sim.Partition, For: 60 * dimmnet.Second, A: []dimmnet.Rank{1}, B: []dimmnet.Rank{2}})
	returned := 0
	err := net.Run(t.Context(), 3, func(h dimmnet.Host) error {
		defer func() { returned++ }()
		p := h.Port()
		peer := dimmnet.Rank(2)
		if p.Rank() == 2 {
			peer = 1
		}
		p.Store(peer, 8, 1, 8)
		for p.Err() == nil && p.Load(0) == 0 {
			p.Idle(p.Arrivals())
		}
		return p.Err()
	})
	for _, part := range []string{"rank 1 cannot reach rank 2", "lower the loss, or raise tries", "sent 30 times"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("Run returned %v, want %q in it", err, part)
		}
	}
	if returned != 3 {
		t.Errorf("%d threads have not returned", 3-returned)
	}
	if end := net.Result().End; end > 10*dimmnet.Second {
		t.Errorf("the run failed at %v, want at most 10 s", end)
	}
}

// TestUDPHealsAfterACut: what is posted while the network loses everything arrives later, in
// order.
func TestUDPHealsAfterACut(t *testing.T) {
	var seen []uint64
	net := udpNetwork(t, sim.Fault{Kind: sim.Partition, At: 10 * dimmnet.Millisecond, For: 290 * dimmnet.Millisecond, A: []dimmnet.Rank{0}, B: []dimmnet.Rank{1}})
	err := net.Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		for i := uint64(1); i <= 50; i++ {
			if p.Rank() == 0 {
				for mark := p.Arrivals(); !p.Store(1, 8, i, 8) && p.Err() == nil; mark = p.Arrivals() {
					p.Idle(mark)
				}
				h.Spend(dimmnet.Millisecond)
			}
		}
		for p.Rank() == 1 && p.Err() == nil {
			mark := p.Arrivals()
			v := p.Load(8)
			if len(seen) == 0 || seen[len(seen)-1] != v {
				seen = append(seen, v)
			}
			if v == 50 {
				break
			}
			p.Idle(mark)
		}
		return p.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range seen[1:] {
		if seen[i] > seen[i+1] {
			t.Errorf("number %d arrived after %d", seen[i+1], seen[i])
		}
	}
	if r := net.Result(); r.UDP.Lost == 0 || r.End < 300*dimmnet.Millisecond {
		t.Errorf("ended at %v with %d datagrams lost: the network was not cut", r.End, r.UDP.Lost)
	}
}

// TestUDPWindowOpensBeforeIdle: a thread whose post failed idles after the window has opened
// again. Idle returns, because the thread's mark is old.
func TestUDPWindowOpensBeforeIdle(t *testing.T) {
	refused, posted := false, false
	err := udpNetwork(t).Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 1 {
			return nil
		}
		mark := p.Arrivals()
		for i := 0; i < 10_000 && !refused; i++ { // the wire is slower than the thread
			mark = p.Arrivals()
			refused = !p.Write(1, 0, make([]byte, p.Limits().Block))
		}
		h.Spend(50 * dimmnet.Millisecond) // all datagrams are acknowledged meanwhile
		p.Idle(mark)
		posted = p.Store(1, 0, 1, 8)
		return p.Err()
	})
	if err != nil || !refused || !posted {
		t.Errorf("a post failed: %v; later posted: %v; Run returned %v", refused, posted, err)
	}
}
