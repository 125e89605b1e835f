package tsp

import (
	"math"
	"testing"
)

// TestBurma14 compares the distances and the optimum with the numbers that TSPLIB publishes.
func TestBurma14(t *testing.T) {
	p := newProblem(Config{Instance: Burma14})
	if got := heldKarp(&p.d, p.cities); got != 3323 {
		t.Errorf("the shortest tour has %d km, want 3323, as in TSPLIB", got)
	}
	if p.d[0][1] != 153 || p.d[0][2] != 510 { // from city 0 to cities 1 and 2
		t.Errorf("distances %d and %d, want 153 and 510", p.d[0][1], p.d[0][2])
	}
}

// TestHeldKarp compares heldKarp with all permutations.
func TestHeldKarp(t *testing.T) {
	for cities := 1; cities <= 7; cities++ {
		for seed := range uint64(5) {
			p := newProblem(Config{Cities: cities, Seed: seed})
			if got, want := heldKarp(&p.d, cities), shortest(p, &tour{Count: 1}); got != want {
				t.Errorf("%d cities, seed %d: length %d, want %d as of all permutations", cities, seed, got, want)
			}
		}
	}
}

// shortest tries all continuations of a tour.
func shortest(p *problem, begun *tour) int32 {
	if int(begun.Count) == p.cities {
		return begun.Length + p.d[begun.last()][0]
	}
	least := int32(math.MaxInt32)
	for c := range uint8(p.cities) {
		if begun.visited()>>c&1 == 0 {
			longer := begun.then(c, &p.d)
			least = min(least, shortest(p, &longer))
		}
	}
	return least
}

// TestBound checks that no continuation of a tour is shorter than its bound.
func TestBound(t *testing.T) {
	for seed := range uint64(20) {
		p := newProblem(Config{Cities: 6, Seed: seed})
		for _, second := range p.next(&tour{Count: 1}, math.MaxInt32) {
			for _, third := range p.next(&second, math.MaxInt32) {
				if bound, least := p.bound(&third), shortest(p, &third); bound > least {
					t.Errorf("seed %d, tour %v: bound %d, but its shortest continuation has length %d", seed, third.Cities[:third.Count], bound, least)
				}
			}
		}
	}
}

func TestNearestIsARoundTrip(t *testing.T) {
	for cities := 1; cities <= MaxCities; cities++ {
		p := newProblem(Config{Cities: cities, Seed: 5})
		guess := p.nearest()
		if length, err := p.length(&guess); err != nil || length != guess.Length {
			t.Errorf("%d cities: length of first guess %+v is %d, error %v", cities, guess, length, err)
		}
	}
}

// TestWrongTours checks that length rejects tours that broken memory might contain.
func TestWrongTours(t *testing.T) {
	p := newProblem(Config{Cities: 3})
	for _, wrong := range []tour{
		{}, {Count: 2}, {Count: 99}, {Count: -1},
		{Count: 3, Cities: [MaxCities]uint8{0, 1, 1}}, {Count: 3, Cities: [MaxCities]uint8{1, 0, 2}}, {Count: 3, Cities: [MaxCities]uint8{0, 1, 77}},
	} {
		if length, err := p.length(&wrong); err == nil {
			t.Errorf("%+v has length %d, want an error", wrong, length)
		}
	}
}
