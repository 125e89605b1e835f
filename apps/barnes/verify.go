package barnes

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

const samples = 64

func sample(bodies, k int) int { return k * bodies / samples }

// omitted bounds the error of the acceleration that pull computes at p, with bodies of mass 1.
// The error of a distant cell is at most 3 times its spread divided by the fourth power of its
// distance (Salmon and Warren); for a closer cell powers of its side divided by its distance are
// added. The errors of different cells are added as if independent, which is Salmon and Warren's
// Sum Squares criterion.
func (t *tree) omitted(p vec) float64 {
	squares := 0.0
	for i := 0; i < len(t.cells); {
		c := &t.cells[i]
		square := c.centre.minus(p).square()
		switch {
		case square > c.open:
			e := 3 * c.spread / (square * square) / (1 - t.theta*math.Sqrt(c.open/square))
			squares += e * e
			i = int(c.skip)
		case c.lo < c.hi:
			i = int(c.skip)
		default:
			i++
		}
	}
	return math.Sqrt(squares)
}

func direct(at []vec, p vec) (a vec) {
	for _, q := range at {
		d := q.minus(p)
		a = a.plus(d.times(math.Pow(d.square()+softening*softening, -1.5)))
	}
	return a
}

// accuracy compares the last accelerations of some bodies, computed from their last three
// positions, with direct sums. It returns root mean squares: of the accelerations, of their
// errors, and of the accepted errors.
func (s *system) accuracy() (size, off, allowed float64) {
	each := 1 / float64(s.Bodies)
	square, _ := s.factors()
	for k := range samples {
		i := sample(s.Bodies, k)
		got := s.next[i].minus(s.at[i]).minus(s.at[i].minus(s.before[i])).times(1 / square)
		want := direct(s.at, s.at[i]).times(each)
		bound := s.tree.omitted(s.at[i]) * each
		size, off, allowed = size+want.square(), off+got.minus(want).square(), allowed+bound*bound
	}
	return math.Sqrt(size / samples), math.Sqrt(off / samples), math.Sqrt(allowed / samples)
}

const (
	rounding   = 1e-8 // error of an acceleration computed from differences of positions
	deviations = 5    // standard deviations; less than one sample in 10^6 deviates by more
)

// checks verifies the last step, before the system advances, and the sums of all ranks.
//
// The energy of a model of N bodies, and the ratio of its energies, deviate by about 1/sqrt(N),
// and by the effect of softening. For a softening of e that effect is about 15/16 e^2 log(1/e):
// the product of two integrals, of the squared density and of 1/r - 1/sqrt(r^2+e^2). If
// accelerations have errors of a, the energy changes by at most a times the length of all paths,
// and the momentum by a times the time. Samples may miss an error in one body, about theta^2 of
// its acceleration. The leapfrog method changes the energy by up to (w dt)^2/4 of the kinetic
// energy (see package water). Here w^2 is 1 in the centre of the cluster, and more where two
// bodies meet.
func (s *system) checks() []verify.Check {
	each, last := 1/float64(s.Bodies), s.numbers.steps()-1
	size, off, allowed := s.accuracy()
	potential, kinetic := s.numbers.energies(0, each)
	first, changed := potential+kinetic, 0.0
	for step := range last + 1 {
		potential, kinetic := s.numbers.energies(step, each)
		changed = max(changed, math.Abs(potential+kinetic-first))
	}
	time, fewer := float64(last)*timeStep, deviations*math.Sqrt(each)+softening*softening*math.Log(1/softening)*15/16
	fastest := 1 + 2*each/(softening*softening*softening)
	drift := time * (allowed + s.Theta*s.Theta*size/samples)
	drifting := drift*math.Sqrt(2*kinetic) + fastest*timeStep*timeStep/4*kinetic
	return []verify.Check{
		{Name: "root mean square error of accelerations", Got: off / size, Tolerance: allowed/size + rounding},
		{Name: "energy", Got: first, Want: plummerEnergy, Tolerance: fewer},
		{Name: "kinetic/potential energy", Got: kinetic / -potential, Want: 0.5, Tolerance: fewer},
		{Name: "change of the energy", Got: changed, Tolerance: drifting},
		{Name: "momentum", Got: math.Sqrt(s.numbers.momentum(each).square()), Tolerance: drift + rounding},
	}
}

func (s *system) lines() []string {
	hash, count := fnv.New64a(), int64(0)
	for i, p := range s.next {
		// a hash never fails
		_ = binary.Write(hash, binary.LittleEndian, [3]float64{p.x, p.y, p.z})
		count += s.work[i]
	}
	return []string{
		fmt.Sprintf("last tree of %d cells, %.1f interactions a body", len(s.tree.cells), float64(count)/float64(s.Bodies)),
		fmt.Sprintf("positions %016x", hash.Sum64()),
	}
}
