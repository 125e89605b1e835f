package sendrecv

import (
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
)

func TestRefusedPosts(t *testing.T) {
	start := rand.Uint64() >> 1
	for seed := start; seed < start+seeds(); seed++ {
		runRandom(t, seed, porttest.Refusing(seed, 0.5))
	}
}

// TestLateRDMA also delays Stores to the rank's own memory.
func TestLateRDMA(t *testing.T) {
	start := rand.Uint64() >> 1
	for seed := start; seed < start+seeds(); seed++ {
		runRandom(t, seed, porttest.Late(seed, 6))
	}
}

// TestStepsArePure checks Steps on ports that refuse posts. The ports also restart passes at
// random, so that many passes follow each other.
func TestStepsArePure(t *testing.T) {
	start := rand.Uint64() >> 1
	for seed := start; seed < start+seeds(); seed++ {
		var watched [8][]*porttest.Watched // by rank
		runRandom(t, seed, func(p dimmnet.Port) dimmnet.Port {
			rank := p.Rank()
			w := porttest.Watch(porttest.Restless(seed, 0.75)(porttest.Refusing(seed, 0.5)(p)), func(what string) {
				t.Errorf("seed %d, rank %d: %s", seed, rank, what)
			})
			watched[rank] = append(watched[rank], w)
			return w
		})
		compared := 0
		for _, w := range append(watched[0], watched[1]...) {
			compared += w.Compared
		}
		if compared == 0 {
			t.Errorf("seed %d: no passes were compared", seed)
		}
	}
}
