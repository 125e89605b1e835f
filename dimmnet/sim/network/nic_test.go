package network

import (
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

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
