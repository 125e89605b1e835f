package barnes

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/fagus-dsm/fagus/apps/verify"
)

// samples is of how many bodies the last acceleration is verified.
const samples = 64

// sample is the body of a sample.
func sample(bodies, k int) int { return k * bodies / samples }

// omitted is a bound of what pull leaves out of the acceleration at p, with bodies of mass 1. A cell's error is at most
// 3 times its spread by the fourth power of its distance, if it is far (Salmon and Warren), and more by powers of its
// side by its distance if it is not. Errors of different cells are added as independent ones are, which is their Sum
// Squares criterion.
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

// direct is the acceleration of a body by all others, of mass 1, one after another.
func direct(at []vec, p vec) (a vec) {
	for _, q := range at {
		way := q.minus(p)
		a = a.plus(way.times(math.Pow(way.square()+softening*softening, -1.5)))
	}
	return a
}

// accuracy holds the last accelerations of some bodies, as their last three positions have them, against direct sums. All are root
// mean squares: of accelerations, of their errors, and of what these may be.
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
	rounding   = 1e-8 // of an acceleration that is a difference of positions
	deviations = 5    // of samples from means: less than one of 10^6 has more
)

// checks looks at the last step, before the next one is turned to, and at the numbers of all ranks.
//
// A model of N bodies has an energy, and a ratio of energies, that are off by some 1/sqrt(N), and by what softening takes: some
// 15/16 e^2 log(1/e), if it is e, which is the integral of the square of the density times that of 1/r - 1/sqrt(r^2+e^2). If accelerations are off by a, the energy
// changes by no more than a times the length of all ways, and the momentum by a times the time. Samples may not show
// what one of so many bodies has, some theta^2 of its acceleration. The leapfrog
// changes the energy by up to (w dt)^2/4 of the kinetic one (apps/water), where the square of w is 1 in the centre of the
// cluster, and more where two bodies meet.
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
		_ = binary.Write(hash, binary.LittleEndian, [3]float64{p.x, p.y, p.z}) // memory takes everything
		count += s.work[i]
	}
	return []string{
		fmt.Sprintf("last tree of %d cells, %.1f interactions a body", len(s.tree.cells), float64(count)/float64(s.Bodies)),
		fmt.Sprintf("positions %016x", hash.Sum64()),
	}
}
