package network

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestExpected adds and removes random times, and compares with a list that has room for all.
func TestExpected(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0))
		var x expected
		var all []dimmnet.Time
		for range 500 {
			if len(all) > 0 && r.IntN(2) == 0 {
				i := r.IntN(len(all))
				x.remove(all[i])
				all = slices.Delete(all, i, i+1)
			} else {
				at := dimmnet.Time(r.IntN(8))
				x.add(at)
				all = append(all, at)
			}
			at := dimmnet.Time(r.IntN(8))
			want := slices.ContainsFunc(all, func(y dimmnet.Time) bool { return y <= at })
			if got := x.until(at); want && !got || !want && got && x.more == 0 {
				t.Fatalf("seed %d: until(%d) is %v with %v", seed, at, got, all)
			}
			if int(x.n+x.more) != len(all) {
				t.Fatalf("seed %d: %d and %d more are expected, want %d", seed, x.n, x.more, len(all))
			}
		}
	}
}
