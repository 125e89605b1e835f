package consistency_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestSharedCatalogue: a space that shares a catalogue returns what it would return alone, however
// far the other spaces are, and though some of them declare something else. Each rank makes a list
// of declarations, some of them wrong, once with a shared catalogue and once without.
func TestSharedCatalogue(t *testing.T) {
	const ranks, size, steps = 4, 64, 12
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		catalogue := consistency.NewCatalogue()
		var shared, alone [ranks]*consistency.Space
		var done [ranks]int
		script := make([][]uint64, ranks) // by rank: the seeds of its declarations
		for r := range ranks {
			shared[r], alone[r] = catalogue.NewSpace(), consistency.NewSpace()
			for i := range steps {
				choice := seed<<8 + uint64(i)
				if random.IntN(60) == 0 {
					choice = random.Uint64() // this rank declares something else
				}
				script[r] = append(script[r], choice)
			}
		}
		for left := ranks * steps; left > 0; {
			r := random.IntN(ranks)
			if done[r] == steps {
				continue
			}
			choice := script[r][done[r]]
			done[r]++
			left--
			got, want := declareRandomly(shared[r], done[r], size, choice), declareRandomly(alone[r], done[r], size, choice)
			if got != want {
				t.Fatalf("seed %d: rank %d, declaration %d: %s, alone %s", seed, r, done[r], got, want)
			}
			for r := range ranks {
				if got, want := shownOf(shared[r], size), shownOf(alone[r], size); got != want {
					t.Fatalf("seed %d: rank %d has\n%s\nalone\n%s", seed, r, got, want)
				}
			}
		}
	}
}

// declareRandomly makes the i-th declaration: an array, a binding or a rebinding. It returns the
// result as text.
func declareRandomly(s *consistency.Space, i, size int, choice uint64) string {
	random := rand.New(rand.NewPCG(choice, 3))
	some := func() consistency.Range {
		lo := consistency.PageBytes + 2*consistency.PageBytes*random.IntN(2) + random.IntN(size)
		return rng(consistency.Addr(lo), consistency.Addr(lo+1+random.IntN(size/8)))
	}
	switch kind := random.IntN(8); {
	case i == 1 || kind == 0:
		base, err := s.AddRegion(fmt.Sprint("a", random.IntN(4)), "[]byte", 1, make([]byte, size))
		return fmt.Sprint(base, err)
	case kind == 1 && s.Bound(1):
		// The two variables exchange their ranges.
		r, err := s.Rebinding([]syncvar.ID{0, 1}, [][]consistency.Range{s.Ranges(1), s.Ranges(0)})
		if err == nil {
			s.Rebind(r)
		}
		return fmt.Sprint(err)
	default:
		id, err := s.Bind(fmt.Sprint("v", random.IntN(12)), []consistency.Range{some(), some()}[:1+random.IntN(2)])
		return fmt.Sprint(id, err)
	}
}

// shownOf describes what the methods of a space with one or two arrays of size bytes return.
func shownOf(s *consistency.Space, size int) string {
	text := fmt.Sprintf("%d declarations, digest %x, unguarded %v;", s.Declared(), s.Digest(s.Declared()), s.Unguarded())
	for i := range s.Declared() {
		text += " " + s.Declaration(i)
	}
	for id := syncvar.ID(0); s.Bound(id); id++ {
		bytes, pieces := s.Extent(id)
		text += fmt.Sprintf("\n%s %v %d %d", s.Name(id), s.Ranges(id), bytes, pieces)
	}
	text += "\n"
	for _, base := range []int{consistency.PageBytes, 3 * consistency.PageBytes} {
		for at := range size {
			if id, ok := s.GuardOf(consistency.Addr(base + at)); ok {
				text += fmt.Sprint(at, " ", id, ", ")
			}
		}
	}
	return text
}
