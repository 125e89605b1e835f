package sim

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

// runKernel runs body and returns the kernel as the run has left it.
func runKernel(t *testing.T, nodes int, body func(dimmnet.Host) error) *kernel {
	t.Helper()
	w, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	k := w.newKernel(context.Background(), nodes, body)
	k.run()
	if k.cause != nil {
		t.Fatal(k.cause)
	}
	return k
}

// TestNothingIsLeft posts all kinds of packets, some of which are refused, and checks that the
// run has freed everything.
func TestNothingIsLeft(t *testing.T) {
	const llcm = 128 << 10
	k := runKernel(t, 3, func(h dimmnet.Host) error {
		p := h.Port()
		u, err := OpenUser(h, martini.Owner{Group: 5, Process: 5})
		if err == nil {
			err = u.Register(0, 0, 8192)
		}
		if err != nil {
			return err
		}
		for i := range 40 {
			dst := dimmnet.Rank(i % 3)
			h.Spend(dimmnet.Millisecond)
			p.Store(dst, 0, 1, 8)
			p.Write(dst, 64, make([]byte, 1+i*11))
			p.Multicast([]dimmnet.Rank{0, 1, 2}, 8, 1, 8)
			p.Push(dst, llcm, llcm, 5000+i, 16)
			p.Pull(dst, llcm, 4096, 5000+i, 24)
			// refused by rank dst
			if _, err := u.Push(martini.Header{To: dst, Addr: 8000}, 0, 8192, 32); err != nil {
				return err
			}
			// refused by rank dst
			if _, err := u.Pull(martini.Header{To: dst, Region: 9}, martini.Header{}, 100, 40); err != nil {
				return err
			}
		}
		return nil
	})
	if n := len(k.packets.all) - len(k.packets.unused); n != 0 {
		t.Errorf("%d packets were not freed", n)
	}
	if n := len(k.transfers.all) - len(k.transfers.unused); n != 0 {
		t.Errorf("%d transfers were not freed", n)
	}
	for i := range k.nodes {
		if x := &k.nodes[i].expected; x.n != 0 || x.more != 0 {
			t.Errorf("rank %d still expects %d events, and %d more", i, x.n, x.more)
		}
		if e := &k.nodes[i].engine; e.uses != 0 || len(e.queue) != 0 {
			t.Errorf("rank %d: %d uses of bulk memory and %d requests are left", i, e.uses, len(e.queue))
		}
	}
	if k.nicCounts().Refusals() < 240 {
		t.Errorf("%d refusals, want 240: 80 of each rank", k.nicCounts().Refusals())
	}
}

// TestBlocksAreReused sends long and short packets in turn.
func TestBlocksAreReused(t *testing.T) {
	k := runKernel(t, 2, func(h dimmnet.Host) error {
		for range 1000 {
			if p := h.Port(); p.Rank() == 0 {
				p.Write(1, 0, make([]byte, 464))
				p.Write(1, 0, make([]byte, 8))
			}
			h.Spend(100 * dimmnet.Microsecond)
		}
		return nil
	})
	blocks := 0
	for _, class := range k.packets.blocks {
		blocks += len(class)
	}
	if blocks > 8 {
		t.Errorf("%d blocks were allocated for 2 packets at a time", blocks)
	}
}

// TestKickPagesAreGivenUp maps one page more than the NIC has, and checks that only the first page
// was remapped.
func TestKickPagesAreGivenUp(t *testing.T) {
	limits := dimmnet.Limits{LLCM: 128 << 10, Bulk: 1 << 20}
	var n nic
	n.openPort(&limits)
	seed := martini.Seed{Owner: portOwner(), Physical: true, Command: martini.CommandStore}
	for key := range uint64(martini.KickPages + 1) {
		if _, err := n.mapKick(key, seed); err != nil {
			t.Fatalf("page %d: %v", key, err)
		}
	}
	if _, ok := n.kicks[0]; ok || len(n.kicks) != martini.KickPages {
		t.Errorf("%d pages are mapped, the oldest is still mapped: %v", len(n.kicks), ok)
	}
	if page := n.kicks[martini.KickPages]; page != 0 {
		t.Errorf("the last destination got page %d, want 0, the page of the first", page)
	}
	if _, hit := n.chip.Seed(0); hit {
		t.Error("the HTLB still had the header of the remapped page")
	}
}

// TestLinkLeavesGaps reserves the link at random and compares with a list of all reservations.
func TestLinkLeavesGaps(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		var l link
		var all []interval
		now := dimmnet.Time(0)
		for range 300 {
			now += dimmnet.Time(r.IntN(20))
			ready, d := now+dimmnet.Time(r.IntN(4)*r.IntN(60)), dimmnet.Time(1+r.IntN(12))
			start := l.reserve(now, ready, d)
			want := ready // the earliest time from which the link is free for d
			for again := true; again; {
				again = false
				for _, x := range all {
					if x.from < want+d && want < x.to {
						want, again = x.to, true
					}
				}
			}
			if start != want {
				t.Fatalf("seed %d: ready at %v for %v: starts at %v, want %v", seed, ready, d, start, want)
			}
			all = append(all, interval{start, start + d})
			for i := 1; i < len(l.busy); i++ {
				if l.busy[i-1].to >= l.busy[i].from {
					t.Fatalf("seed %d: intervals touch or overlap: %v", seed, l.busy)
				}
			}
		}
	}
}
