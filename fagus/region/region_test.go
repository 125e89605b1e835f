package region

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// intervals returns all of r as sorted and disjoint intervals.
func intervals(r *Region) []Interval {
	return r.in([]Interval{{math.MinInt, math.MaxInt}})
}

// TestRegionAgainstSet compares regions of random intervals with sets of elements.
func TestRegionAgainstSet(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		draw := func() (r Region, set [40]bool) {
			for range random.IntN(8) {
				lo := random.IntN(40)
				hi := lo + random.IntN(41-lo)
				r.Add(lo, hi)
				for i := lo; i < hi; i++ {
					set[i] = true
				}
			}
			return r, set
		}
		a, inA := draw()
		b, inB := draw()
		last := -1
		var got [40]bool
		for _, i := range intervals(&a) {
			if i.Lo <= last || i.Lo >= i.Hi {
				t.Fatalf("seed %d: %v is not sorted and disjoint", seed, intervals(&a))
			}
			for j := i.Lo; j < i.Hi; j++ {
				got[j] = true
			}
			last = i.Hi
		}
		meets := false
		for i := range inA {
			meets = meets || inA[i] && inB[i]
		}
		if got != inA || meet(intervals(&a), intervals(&b)) != meets || meet(intervals(&b), intervals(&a)) != meets {
			t.Fatalf("seed %d: %v and %v: wrong elements or intersection", seed, intervals(&a), intervals(&b))
		}
	}
}

func TestStrided(t *testing.T) {
	var r Region
	r.Strided(3, 2, 3, 10)
	if !slices.Equal(intervals(&r), []Interval{{3, 5}, {13, 15}, {23, 25}}) {
		t.Error(intervals(&r))
	}
}

// TestClasses: elements that one rank uses alone form a class, and so do shared elements
// with the same uses.
func TestClasses(t *testing.T) {
	p := NewPlan(2, 100)
	s := p.Step()
	p.Writes(s, 0, 0).Add(0, 50)
	p.Writes(s, 1, 0).Add(50, 100)
	s = p.Step()
	p.Reads(s, 0, 0).Add(0, 51)
	p.Reads(s, 1, 0).Add(49, 100)
	var got []string
	for _, c := range p.classes(0) {
		got = append(got, fmt.Sprint(c.intervals))
	}
	if want := []string{"[{0 49}]", "[{51 100}]", "[{49 50}]", "[{50 51}]"}; !slices.Equal(got, want) {
		t.Errorf("classes %v, want %v", got, want)
	}
	if p.check() != nil || p.together(0, 1) {
		t.Error("check fails, or the steps are put into one phase")
	}
	p.Writes(s, 0, 0).Add(99, 100)
	p.classes(0)
	if p.check() == nil {
		t.Error("check accepts a step in which one rank writes what another reads")
	}
}
