package consistency

import (
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/syncvar"
)

// TestOverwriteAgainstBytes compares stamps with a model that has a version for every byte.
func TestOverwriteAgainstBytes(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		var st stamps
		var model [300]syncvar.Version
		for version := syncvar.Version(1); version < 20; version++ {
			var pieces []Piece
			for lo := random.IntN(20); lo < len(model); lo += random.IntN(10 * int(version)) {
				hi := min(len(model), lo+1+random.IntN(12))
				pieces = append(pieces, Piece{Range{Addr(lo), Addr(hi)}, version})
				for i := lo; i < hi; i++ {
					model[i] = version
				}
				lo = hi
			}
			random.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
			st = st.overwrite(pieces)
			checkStamps(t, seed, st, model[:])
		}
	}
}

func checkStamps(t *testing.T, seed uint64, st stamps, model []syncvar.Version) {
	t.Helper()
	got := make([]syncvar.Version, len(model))
	end := Addr(0)
	for i, p := range st {
		if p.Lo < end || p.Lo >= p.Hi || i > 0 && st[i-1].Hi == p.Lo && st[i-1].Version == p.Version {
			t.Fatalf("seed %d: stamps %v are not in order, or not joined", seed, st)
		}
		end = p.Hi
		for a := p.Lo; a < p.Hi; a++ {
			got[a] = p.Version
		}
	}
	for i := range model {
		if got[i] != model[i] {
			t.Fatalf("seed %d: byte %d is of version %d, not %d; stamps %v", seed, i, got[i], model[i], st)
		}
	}
}
