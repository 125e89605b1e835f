package water

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/fagus-dsm/fagus/apps/internal/verify"
)

// numbers holds sums over all molecules: the potential and the kinetic energy at the beginning
// and after each step, and the momentum at the end.
type numbers []int64

func newNumbers(cfg Config) numbers         { return make(numbers, 2*(cfg.Steps+1)+3) }
func (n numbers) steps() int                { return (len(n)-3)/2 - 1 }
func (n numbers) potential(step int) *int64 { return &n[2*step] }
func (n numbers) kinetic(step int) *int64   { return &n[2*step+1] }
func (n numbers) momentum() []int64         { return n[len(n)-3:] }

func (n numbers) addMomentum(momenta []pushes) {
	to := n.momentum()
	for _, m := range momenta {
		for _, p := range m {
			to[0], to[1], to[2] = to[0]+p.x, to[1]+p.y, to[2]+p.z
		}
	}
}

// operations counts the operations: per pair, 17 for two atoms, and 24 for Lennard-Jones.
func (c *Config) operations() float64 { return float64(c.Pairs()) * float64(c.Steps+1) * (9*17 + 24) }

// rounding is the accepted error of the potential energy from adding integers, relative to the
// kinetic energy. The error is 2^-32 kJ/mol per pair; a molecule has at most 2^14 pairs, and
// about 11 kJ/mol of kinetic energy.
const rounding = 1e-6

// drifting returns the accepted change of the total energy, relative to the kinetic energy.
// Verlet's method conserves an energy that differs from the true one by at most (w dt)^2/6 of the
// kinetic and (w dt)^2/12 of the potential energy of a vibration of angular frequency w (E.
// Hairer, C. Lubich and G. Wanner, Acta Numerica 12 (2003) 399). In the fastest vibration here the
// two bonds of a molecule move against each other.
func drifting() float64 {
	square := bondStiffness * (1/massH + (1-math.Cos(bondAngle))/massO)
	return square * timeStep * timeStep / 4
}

// checks verifies the sums of all ranks, and the final positions.
func (n numbers) checks(at []molecule) []verify.Check {
	last := n.steps()
	first, changed, most := *n.potential(0)+*n.kinetic(0), 0.0, 0.0
	for step := range last + 1 {
		energy := *n.potential(step) + *n.kinetic(step)
		changed = max(changed, math.Abs(float64(energy-first)))
		most = max(most, float64(*n.kinetic(step)))
	}
	sum := 0.0
	for _, p := range n.momentum() {
		sum += math.Abs(float64(p))
	}
	again := potential(at)*scale - float64(*n.potential(last))
	return []verify.Check{
		{Name: "total momentum", Got: sum},
		{Name: "change of the energy/kinetic energy", Got: changed / most, Tolerance: drifting()},
		{Name: "error of the last potential energy/kinetic energy", Got: math.Abs(again) / most, Tolerance: rounding},
	}
}

// potential returns the energy of all molecules. It computes in floating point, and shares no
// code with the computation of forces.
func potential(at []molecule) (energy float64) {
	apart := func(a, b site) float64 {
		return math.Sqrt((a.x-b.x)*(a.x-b.x) + (a.y-b.y)*(a.y-b.y) + (a.z-b.z)*(a.z-b.z))
	}
	for i, a := range at {
		one, other, across := apart(a[0], a[1]), apart(a[0], a[2]), apart(a[1], a[2])
		angle := math.Acos((one*one + other*other - across*across) / (2 * one * other))
		energy += bondStiffness/2*((one-bondLength)*(one-bondLength)+(other-bondLength)*(other-bondLength)) +
			bendStiffness/2*(angle-bondAngle)*(angle-bondAngle)
		for _, b := range at[:i] {
			r := apart(a[0], b[0]) / diameter
			energy += 4 * depth * (math.Pow(r, -12) - math.Pow(r, -6))
			for j := range a {
				for k := range b {
					energy += coulomb * charge(j) * charge(k) / apart(a[j], b[k])
				}
			}
		}
	}
	return energy
}

func (n numbers) lines(at []molecule) []string {
	hash, last := fnv.New64a(), n.steps()
	_ = binary.Write(hash, binary.LittleEndian, flat(at)) // a hash never fails
	in := func(energy int64) float64 { return float64(energy) / scale }
	return []string{
		fmt.Sprintf("potential energy %.9g kJ/mol, kinetic %.9g at first; %.9g and %.9g in the end", in(*n.potential(0)), in(*n.kinetic(0)), in(*n.potential(last)), in(*n.kinetic(last))),
		fmt.Sprintf("positions %016x", hash.Sum64()),
	}
}

func flat(at []molecule) (x []float64) {
	for _, m := range at {
		for _, s := range m {
			x = append(x, s.x, s.y, s.z)
		}
	}
	return x
}
