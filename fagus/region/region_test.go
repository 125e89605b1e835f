package region

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// gridCall is a call of Region.Grid.
type gridCall struct{ lo, run, count, stride, rows, pitch int }

func (c gridCall) to(r Region) { r.Grid(c.lo, c.run, c.count, c.stride, c.rows, c.pitch) }

// randomCall returns a call for an array of a length that may be a matrix with rows of width.
func randomCall(r *rand.Rand, length, width int) gridCall {
	strides := []int{1, 2, width, width, 2 * width, r.IntN(2*length+1) - length}
	c := gridCall{r.IntN(length+2) - 1, 1 + r.IntN(width+2), 1, 1, 1, 1}
	if r.IntN(2) == 0 {
		c.run, c.count, c.stride = 1+r.IntN(3), r.IntN(6), strides[r.IntN(len(strides))]
	}
	if r.IntN(2) == 0 {
		c.rows, c.pitch = r.IntN(6), strides[r.IntN(len(strides))]
	}
	return c
}

// elements returns which elements of an array the calls use, and which are in the hulls of their
// sequences of runs.
func elements(calls []gridCall, length int) (exact, hull []bool) {
	exact, hull = make([]bool, length), make([]bool, length)
	for _, c := range calls {
		size := func(stride int) int { return max(stride, -stride) }
		if c.rows > 1 && c.pitch != 0 && c.count > 1 && size(c.stride) > size(c.pitch) {
			c.count, c.stride, c.rows, c.pitch = c.rows, c.pitch, c.count, c.stride
		}
		for row := range max(0, c.rows) {
			var all []int
			for k := range max(0, c.count) {
				for i := range max(0, c.run) {
					all = append(all, c.lo+row*c.pitch+k*c.stride+i)
				}
			}
			for _, e := range all {
				if 0 <= e && e < length {
					exact[e] = true
				}
			}
			for e := range length {
				hull[e] = hull[e] || len(all) > 0 && slices.Min(all) <= e && e <= slices.Max(all)
			}
		}
	}
	return exact, hull
}

// TestRegionAgainstSet compares regions of random calls, and their rectangles, with sets of
// elements.
func TestRegionAgainstSet(t *testing.T) {
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 1))
		length, width := 1+random.IntN(60), 1+random.IntN(12)
		p := NewPlan(1, length)
		s := p.Step()
		var calls []gridCall
		for range 1 + random.IntN(4) {
			calls = append(calls, randomCall(random, length, width))
			calls[len(calls)-1].to(p.Reads(s, 0, 0))
		}
		want, _ := elements(calls, length)
		r := &p.arrays[0]
		has, visited, folded := make([]bool, length), make([]bool, length), make([]bool, length)
		zone := []Interval{{0, length / 3}, {length / 3, length}}
		for i := range r.entries {
			e := &r.entries[i]
			for at := range has {
				has[at] = has[at] || e.has(at)
			}
			e.each(zone, func(i Interval, _ int) bool {
				for at := i.Lo; at < i.Hi; at++ {
					visited[at] = true
				}
				return true
			})
		}
		f := &fold{width: width, length: length}
		f.addAll(r.entries, 1<<20)
		for _, r := range f.rects {
			for y := r.y0; y < r.y1; y++ {
				for k := range r.count {
					for i := range r.run {
						folded[y*width+r.x+k*r.stride+i] = true
					}
				}
			}
		}
		if !slices.Equal(has, want) || !slices.Equal(visited, want) || !slices.Equal(folded, want) {
			t.Fatalf("seed %d: calls %v, length %d, width %d\nhas     %v\nvisited %v\nfolded  %v\nwant    %v", seed, calls, length, width, has, visited, folded, want)
		}
	}
}

// TestWithout: the parts of Iterations.Without have all iterations but one, in order.
func TestWithout(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		of := Iterations{r.IntN(9) - 4, r.IntN(20) - 4, 1 + r.IntN(3)}
		x := r.IntN(24) - 8
		var got, want []int
		for _, part := range of.Without(x) {
			for i := part.First; i < part.End; i += part.By {
				got = append(got, i)
			}
		}
		for i := of.First; i < of.End; i += of.By {
			if i != x {
				want = append(want, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v without %d: %v, want %v", seed, of, x, got, want)
		}
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
	if _, err := groups(p); err != nil || p.together(0, 1) {
		t.Errorf("error %v, or the steps are put into one phase", err)
	}
	p.Writes(s, 0, 0).Add(99, 100)
	if _, err := groups(p); err == nil {
		t.Error("no error for a step in which one rank writes what another reads")
	}
}

// TestFresh: an element that a rank overwrites before any other use needs no input; one that the
// rank reads first, in an earlier step or in the same one, needs it.
func TestFresh(t *testing.T) {
	p := NewPlan(2, 40)
	s := p.Step()
	p.Reads(s, 0, 0).Add(5, 10)
	s = p.Step()
	p.Overwrites(s, 0, 0).Add(0, 20)
	p.Reads(s, 0, 0).Add(15, 25)
	s = p.Step()
	p.Overwrites(s, 0, 0).Add(20, 30)
	var got []string
	for _, c := range p.classes(0) {
		got = append(got, fmt.Sprint(c.intervals))
	}
	if want := []string{"[{0 5} {10 15} {25 30}]", "[{5 10} {15 25}]"}; !slices.Equal(got, want) {
		t.Errorf("fresh and other elements %v, want %v", got, want)
	}
}
