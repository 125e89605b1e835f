package water

import (
	"math"
	"testing"
)

// small returns a droplet that has moved a little, so that bonds are stretched and bent.
func small(t *testing.T) []molecule {
	t.Helper()
	at, momenta := droplet(Config{Molecules: 5, Seed: 1})
	for range 10 {
		drift(at, momenta)
	}
	return at
}

// TestForcesAreTheGradient checks that forces are the negative gradient of the energy, and that
// the energy equals the energy that the verification code computes.
func TestForcesAreTheGradient(t *testing.T) {
	at := small(t)
	forces, energy := make([]pushes, len(at)), int64(0)
	for i := range at {
		energy += act(at, i, forces)
	}
	if got, want := float64(energy)/scale, potential(at); math.Abs(got-want) > 1e-6 {
		t.Errorf("the energy is %g, want %g", got, want)
	}
	const shift = 1e-6
	for i := range at {
		for j := range at[i] {
			for k, f := range []int64{forces[i][j].x, forces[i][j].y, forces[i][j].z} {
				x := []*float64{&at[i][j].x, &at[i][j].y, &at[i][j].z}[k]
				old := *x
				*x = old + shift
				above := potential(at)
				*x = old - shift
				below := potential(at)
				*x = old
				got, want := float64(f)/scale, (below-above)/(2*shift)
				if math.Abs(got-want) > 1e-5*max(1000, math.Abs(want)) {
					t.Errorf("molecule %d, atom %d, coordinate %d: the force is %g, want %g", i, j, k, got, want)
				}
			}
		}
	}
}

// TestTwoMolecules compares two distant molecules on an axis with the closed form of two dipoles.
func TestTwoMolecules(t *testing.T) {
	half := bondAngle / 2
	y, x := bondLength*math.Sin(half), bondLength*math.Cos(half)
	const apart = 10.0
	a := molecule{{0, 0, 0}, {x, y, 0}, {x, -y, 0}}
	b := molecule{{apart, 0, 0}, {apart + x, y, 0}, {apart + x, -y, 0}}
	var onA, onB pushes
	moment := 2 * chargeH * x
	want := -2 * coulomb * moment * moment / (apart * apart * apart)
	got := float64(interact(&a, &b, &onA, &onB)) / scale
	if math.Abs(got-want) > 1e-3*math.Abs(want) {
		t.Errorf("the energy is %g, want %g", got, want)
	}
	pull := int64(0)
	for j := range onA {
		pull += onA[j].x
	}
	if got, want := float64(pull)/scale, -3*want/apart; math.Abs(got-want) > 0.01*want {
		t.Errorf("the force is %g, want %g", got, want)
	}
}

// TestRest checks that a molecule of a new droplet has no internal energy and no forces.
func TestRest(t *testing.T) {
	at, _ := droplet(Config{Molecules: 1, Seed: 7})
	var forces pushes
	energy := bend(&at[0], &forces)
	for _, f := range forces {
		for _, x := range []int64{energy, f.x, f.y, f.z} {
			if math.Abs(float64(x)) > 1e-6*scale {
				t.Errorf("a new molecule has energy %g and forces %v, want 0", float64(energy)/scale, forces)
			}
		}
	}
}

// TestPairs checks that every pair is computed once, and that reached covers the molecules to
// which a rank adds forces.
func TestPairs(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for ranks := 1; ranks <= 4; ranks++ {
			made := make(map[[2]int]int)
			for rank := range ranks {
				lo, hi := n*rank/ranks, n*(rank+1)/ranks
				touched := make([]bool, n)
				for i := lo; i < hi; i++ {
					touched[i] = true
					for k := 1; k <= following(n, i); k++ {
						j := (i + k) % n
						touched[j] = true
						made[[2]int{min(i, j), max(i, j)}]++
					}
				}
				for of := range ranks {
					from, to := reached(n, lo, hi, n*of/ranks, n*(of+1)/ranks)
					for j := n * of / ranks; j < n*(of+1)/ranks; j++ {
						if touched[j] && (j < from || j >= to) {
							t.Errorf("%d molecules, ranks %d and %d of %d: molecule %d gets forces, but is not in [%d, %d)", n, rank, of, ranks, j, from, to)
						}
					}
				}
			}
			if want := n * (n - 1) / 2; len(made) != want {
				t.Errorf("%d molecules, %d ranks: %d pairs, want %d", n, ranks, len(made), want)
			}
			for pair, times := range made {
				if times != 1 {
					t.Errorf("%d molecules, %d ranks: pair %v occurs %d times", n, ranks, pair, times)
				}
			}
		}
	}
}

// TestNoMomentum checks that a new droplet has no momentum, and the right temperature.
func TestNoMomentum(t *testing.T) {
	_, momenta := droplet(Config{Molecules: 1000, Seed: 4})
	sum := newNumbers(Config{Steps: 1})
	sum.addMomentum(momenta)
	for _, p := range sum.momentum() {
		if p != 0 {
			t.Errorf("the momentum is %v, want 0", sum.momentum())
		}
	}
	// The energy of 9000 degrees of freedom, kT/2 each, has a relative standard deviation of
	// sqrt(2/9000); four of these are 6 %.
	if got, want := float64(kinetic(momenta))/scale, 4500*boltzmannT; math.Abs(got-want) > 0.06*want {
		t.Errorf("the kinetic energy is %g, want %g", got, want)
	}
}
