package barnes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTree checks the bodies, centres and spreads of cells, and that keys are in order.
func TestTree(t *testing.T) {
	s := newSystem(Config{Bodies: 1000, Steps: 1, Theta: 0.5, Seed: 1})
	s.arrange()
	root, spread, centre := s.tree.cells[0], 0.0, vec{}
	for _, p := range s.at {
		centre = centre.plus(p.times(1 / float64(len(s.at))))
	}
	for _, p := range s.at {
		spread += p.minus(centre).square()
	}
	if root.bodies != 1000 || math.Sqrt(root.centre.minus(centre).square()) > 1e-12 || math.Abs(root.spread-spread) > 1e-9*spread {
		t.Errorf("the root is %+v, want 1000 bodies, centre %v, spread %g", root, centre, spread)
	}
	next := 0
	for i, c := range s.tree.cells {
		if c.lo < c.hi {
			if int(c.lo) != next || c.hi-c.lo > leafBodies || c.skip != int32(i+1) {
				t.Errorf("leaf %d is %+v, want bodies from %d", i, c, next)
			}
			next = int(c.hi)
		}
	}
	if next != 1000 {
		t.Errorf("leaves have %d bodies, want 1000", next)
	}
	if !slices.IsSortedFunc(s.keys, func(a, b keyed) int { return int(int64(a.key) - int64(b.key)) }) {
		t.Error("keys are not in order")
	}
}

// TestAlike checks that many bodies in one position form a leaf of the greatest depth.
func TestAlike(t *testing.T) {
	at := make([]vec, 30)
	at[29] = vec{1, 1, 1}
	keys := make([]keyed, len(at))
	tree := tree{theta: 0.5}
	tree.build(at, keys, keysOf(at, keys))
	a, potential, _ := tree.pull(at, at[29])
	square := 3 + softening*softening
	want, deep := 29*math.Pow(square, -1.5), -29/math.Sqrt(square)
	if math.Abs(a.x+want) > 1e-12 || math.Abs(potential-deep) > 1e-12 {
		t.Errorf("acceleration %g, potential %g, want %g and %g", a.x, potential, -want, deep)
	}
}

// TestSpread compares spread with a loop over all bits.
func TestSpread(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		x, want := random.Uint64N(1<<keyBits), uint64(0)
		for b := range keyBits {
			want |= x >> b & 1 << (3 * b)
		}
		if got := spread(x); got != want {
			t.Fatalf("spread(%x) is %x, want %x", x, got, want)
		}
	}
}

// TestZones checks that all ranks get a share of the work, and at least one body.
func TestZones(t *testing.T) {
	for _, c := range []struct {
		work  []int64
		ranks int
		want  []int
	}{
		{[]int64{1, 1, 1, 1}, 2, []int{0, 2, 4}},
		{[]int64{3, 1, 1, 1}, 2, []int{0, 1, 4}},
		{[]int64{1, 1, 1, 9}, 2, []int{0, 3, 4}},
		{[]int64{9, 1, 1, 1}, 3, []int{0, 1, 2, 4}},
		{[]int64{1, 1, 1, 9}, 3, []int{0, 2, 3, 4}},
		{[]int64{1, 1, 9}, 3, []int{0, 1, 2, 3}},
		{[]int64{9, 1, 1, 9}, 1, []int{0, 4}},
	} {
		if got := zones(c.work, c.ranks); !slices.Equal(got, c.want) {
			t.Errorf("work %v, %d ranks: zones have the bounds %v, want %v", c.work, c.ranks, got, c.want)
		}
	}
}

// TestPlummer checks that half of the mass is within 1.30 of the centre, that the centre is at
// rest, and that no body escapes.
func TestPlummer(t *testing.T) {
	const bodies = 20000
	at, velocity := plummer(Config{Bodies: bodies, Seed: 5})
	half := 1 / math.Sqrt(math.Pow(2, 2./3)-1)
	inside, sum := 0, vec{}
	for i, p := range at {
		if math.Sqrt(p.square()) < half {
			inside++
		}
		sum = sum.plus(velocity[i])
		if velocity[i].square() > 2 {
			t.Errorf("body %d has velocity %v: want at most the escape velocity, sqrt(2)", i, velocity[i])
		}
	}
	// The tolerance is four standard deviations of a binomial distribution, plus 100 because the
	// centre is off by about 1/sqrt(bodies).
	if math.Abs(float64(inside)-bodies/2) > 2*math.Sqrt(bodies)+100 || math.Sqrt(sum.square()) > 1e-8 {
		t.Errorf("%d bodies of %d are within 1.30 of the centre, want half; the sum of velocities is %v, want 0", inside, bodies, sum)
	}
}
