package network

import (
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
)

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
