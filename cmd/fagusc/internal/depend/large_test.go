package depend

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestLargeSystems: a system with a solution is never said to have none: not when it grows beyond
// what is looked at, and not when its numbers overflow.
func TestLargeSystems(t *testing.T) {
	gaveUp, overflown := 0, 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 6))
		var s System
		point := make([]int64, 3+r.IntN(9))
		vars := make([]Var, len(point))
		for i := range point {
			vars[i], point[i] = s.Var(), r.Int64N(9)-4
		}
		bound := int64(4)
		if seed%3 == 0 {
			bound = 1 << (30 + r.IntN(33))
		}
		sum := func() (l Linear, value *big.Int) {
			value = new(big.Int)
			for i, v := range vars {
				if c := r.Int64N(bound) - bound/2; c != 0 && r.IntN(3) > 0 {
					l = append(l, Term{c, v})
					value.Add(value, new(big.Int).Mul(big.NewInt(c), big.NewInt(point[i])))
				}
			}
			return l, value
		}
		for i := range 4 + r.IntN(60) {
			l, value := sum()
			if !value.IsInt64() || value.Int64() < -1<<62 || value.Int64() > 1<<62 {
				continue
			}
			if i < 2 && seed%2 == 0 {
				s.Equal(l, value.Int64())
			} else {
				s.AtLeast(l, value.Int64()-r.Int64N(2))
			}
		}
		if !s.Solvable() {
			t.Fatalf("seed %d: a system of %d variables, %d equations and %d inequalities with the solution %v is said to have none", seed, s.vars, len(s.zero), len(s.atZero), point)
		}
		w := System{vars: s.vars, zero: s.copies(s.zero), atZero: s.copies(s.atZero), overflown: s.overflown}
		if w.solveEquations() && w.eliminate() && len(w.atZero) > most {
			gaveUp++
		}
		if w.overflown {
			overflown++
		}
	}
	if gaveUp == 0 || overflown == 0 {
		t.Errorf("%d systems grow too large, and %d overflow: the test sees nothing", gaveUp, overflown)
	}
}

// TestOverflowOfSolutions: the solution of an equation that does not fit a number makes the answer
// uncertain, though the numbers that are left have no solution: x = 2^62, y = 4x, y >= 5.
func TestOverflowOfSolutions(t *testing.T) {
	for factor := int64(1); factor <= 4; factor++ {
		for _, sign := range []int64{1, -1} {
			var s System
			x, y := s.Var(), s.Var()
			s.Equal(Linear{{1, x}}, sign<<62)
			s.Equal(Linear{{factor, x}, {-1, y}}, 0)
			s.AtLeast(Linear{{sign, y}}, 5)
			if !s.Solvable() {
				t.Errorf("x = %d * 2^62, y = %d x, and y beyond 5: said to have no solution", sign, factor)
			}
			s.AtLeast(Linear{{-sign, x}}, 0) // false, perhaps unnoticed
			if factor == 1 && s.Solvable() {
				t.Errorf("x = %d * 2^62 and x on the other side of 0: said to have a solution", sign)
			}
		}
	}
}
