package region

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRegionAgainstSet: intervals in any order are the set of their elements, in order and apart.
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
		for _, i := range a.Intervals() {
			if i.Lo <= last || i.Lo >= i.Hi {
				t.Fatalf("seed %d: %v", seed, &a)
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
		if got != inA || meet(a.Intervals(), b.Intervals()) != meets || meet(b.Intervals(), a.Intervals()) != meets {
			t.Fatalf("seed %d: %v and %v", seed, &a, &b)
		}
	}
}

// TestStrided: runs that are apart.
func TestStrided(t *testing.T) {
	var r Region
	r.Strided(3, 2, 3, 10)
	if !slices.Equal(r.Intervals(), []Interval{{3, 5}, {13, 15}, {23, 25}}) {
		t.Error(&r)
	}
}

// TestClasses: what one rank has to do with alone is together, and so are elements with the same accesses, and others are not.
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
		t.Error("the steps are said to be wrong, or one phase")
	}
	p.Writes(s, 0, 0).Add(99, 100)
	p.classes(0)
	if p.check() == nil {
		t.Error("a step in which one writes what another reads is said to be right")
	}
}
