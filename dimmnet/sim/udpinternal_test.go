package sim

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// udpKernel is a run of body on a UDP network, ready to begin.
func udpKernel(t *testing.T, faults UDP, nodes int, body func(dimmnet.Host) error, cuts ...Fault) *kernel {
	t.Helper()
	w, err := New(Config{UDP: &faults, Faults: cuts})
	if err != nil {
		t.Fatal(err)
	}
	return w.newKernel(context.Background(), nodes, body)
}

// TestUDPGivesUp separates two of three ranks: the run fails with an error that names both,
// and no thread keeps waiting. The other pairs communicate meanwhile.
func TestUDPGivesUp(t *testing.T) {
	k := udpKernel(t, UDP{}, 3, func(h dimmnet.Host) error {
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
	}, Fault{Kind: Partition, For: 60 * dimmnet.Second, A: []dimmnet.Rank{1}, B: []dimmnet.Rank{2}})
	k.run()
	for _, part := range []string{"rank 1 cannot reach rank 2", "lower the loss, or raise tries", "sent 30 times"} {
		if k.cause == nil || !strings.Contains(k.cause.Error(), part) {
			t.Errorf("Run returned %v, want %q in it", k.cause, part)
		}
	}
	if k.live != 0 {
		t.Errorf("%d threads have not returned", k.live)
	}
	if k.now > 10*dimmnet.Second {
		t.Errorf("the run failed at %v, want at most 10 s", k.now)
	}
}

// TestUDPHealsAfterACut: what is posted while the network loses everything arrives later, in
// order.
func TestUDPHealsAfterACut(t *testing.T) {
	var seen []uint64
	k := udpKernel(t, UDP{}, 2, func(h dimmnet.Host) error {
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
	}, Fault{Kind: Partition, At: 10 * dimmnet.Millisecond, For: 290 * dimmnet.Millisecond, A: []dimmnet.Rank{0}, B: []dimmnet.Rank{1}})
	k.run()
	if k.cause != nil {
		t.Fatal(k.cause)
	}
	for i := range seen[1:] {
		if seen[i] > seen[i+1] {
			t.Errorf("number %d arrived after %d", seen[i+1], seen[i])
		}
	}
	if k.counts.Lost == 0 || k.now < 300*dimmnet.Millisecond {
		t.Errorf("ended at %v with %d datagrams lost: the network was not cut", k.now, k.counts.Lost)
	}
}

// TestUDPNothingIsLeft: when a run is over, all datagrams have been acknowledged.
func TestUDPNothingIsLeft(t *testing.T) {
	k := udpKernel(t, UDP{Loss: 0.3, Duplicate: 0.3, Reorder: 0.3}, 3, func(h dimmnet.Host) error {
		p := h.Port()
		for i := range 200 {
			p.Write(dimmnet.Rank(i%3), 64, make([]byte, 1+i*6))
			h.Notify(dimmnet.Rank(i % 3))
		}
		return nil
	})
	k.run()
	if k.cause != nil {
		t.Fatal(k.cause)
	}
	if n := len(k.packets.all) - len(k.packets.unused); n != 0 {
		t.Errorf("%d frames were not freed", n)
	}
	if len(k.ends) != 6 {
		t.Errorf("the run has %d ends of connections, want 6", len(k.ends))
	}
	for _, e := range k.ends {
		if at, ok := e.conn.Deadline(); ok {
			t.Errorf("rank %d still has a datagram for rank %d at %v", e.own, e.peer, at)
		}
	}
	for i := range k.nodes {
		if n := &k.nodes[i]; n.notices < 190 || n.open.by != nil {
			t.Errorf("rank %d: %d notices, want 190 or more; its open datagram is of %v, want none", i, n.notices, n.open.by)
		}
	}
}

// FuzzRecord cuts records off an arbitrary payload.
func FuzzRecord(f *testing.F) {
	f.Add(appendRecord(appendRecord(nil, 8, []byte{1, 2}), 4000, []byte{3}))
	f.Add(appendRecord(nil, 8, nil))
	f.Add(appendRecord(nil, 4090, make([]byte, 7)))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 1, 0, 1})
	f.Fuzz(func(t *testing.T, payload []byte) {
		const memory = 4096
		var again []byte
		for rest := payload; len(rest) > 0; {
			off, b, behind, err := cutRecord(rest, memory)
			if err != nil {
				return
			}
			if len(b) == 0 || int(off)+len(b) > memory {
				t.Fatalf("cutRecord returned %d bytes for offset %d, outside the memory", len(b), off)
			}
			again, rest = appendRecord(again, off, b), behind
		}
		if !bytes.Equal(again, payload) {
			t.Errorf("the records of %x join to %x", payload, again)
		}
	})
}
