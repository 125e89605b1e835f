package depend

import (
	"math/rand/v2"
	"testing"
)

// holds reports whether values solve the system.
func (s *System) holds(values []int64) bool {
	of := func(r row) int64 {
		sum := r.constant
		for j, c := range r.of {
			sum += c * values[j]
		}
		return sum
	}
	for _, r := range s.zero {
		if of(r) != 0 {
			return false
		}
	}
	for _, r := range s.atZero {
		if of(r) < 0 {
			return false
		}
	}
	return true
}

// solution searches all values from -reach to reach for a solution.
func (s *System) solution(values []int64, reach int64) bool {
	if len(values) == s.vars {
		return s.holds(values)
	}
	for v := -reach; v <= reach; v++ {
		if s.solution(append(values, v), reach) {
			return true
		}
	}
	return false
}

// TestAgainstAll compares Solvable with exhaustive search on random bounded systems: it must never
// deny a solution, and must recognise nearly all systems without a solution.
func TestAgainstAll(t *testing.T) {
	const reach = 4
	none, missed := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var s System
		vars := make([]Var, 1+r.IntN(4))
		for i := range vars {
			vars[i] = s.Var()
		}
		for _, v := range vars {
			s.AtLeast(Linear{{1, v}}, -reach)
			s.AtLeast(Linear{{-1, v}}, -reach)
		}
		sum := func() (l Linear) {
			for _, v := range vars {
				if c := r.Int64N(9) - 4; c != 0 {
					l = append(l, Term{c, v})
				}
			}
			return l
		}
		for range r.IntN(3) {
			s.Equal(sum(), r.Int64N(13)-6)
		}
		for range r.IntN(3) {
			s.AtLeast(sum(), r.Int64N(13)-6)
		}
		got, want := s.Solvable(), s.solution(nil, reach)
		if want && !got {
			t.Fatalf("seed %d: Solvable returns false for a system with a solution: %+v", seed, s)
		}
		if !want {
			none++
			if got {
				missed++
			}
		}
	}
	t.Logf("%d of %d unsolvable systems are not recognised", missed, none)
	if none < 500 || missed*20 > none {
		t.Errorf("%d of %d unsolvable systems are not recognised", missed, none)
	}
}

// TestSizes uses bounds that are known only at run time.
func TestSizes(t *testing.T) {
	question := func(distance int64) bool { // 0 <= i, j < n, i = j + distance, i > j
		var s System
		i, j, n := s.Var(), s.Var(), s.Var()
		for _, v := range []Var{i, j} {
			s.AtLeast(Linear{{1, v}}, 0)
			s.AtLeast(Linear{{1, n}, {-1, v}}, 1)
		}
		s.Equal(Linear{{1, i}, {-1, j}}, distance)
		s.AtLeast(Linear{{1, i}, {-1, j}}, 1)
		return s.Solvable()
	}
	if question(0) || !question(1) || !question(7) || question(-1) {
		t.Error("Solvable: want true for distances 1 and 7, false for 0 and -1")
	}
}

// TestParity uses the points of a red-black grid: row i starts at 1 + (i + colour) mod 2, and
// neighbours have the other colour.
func TestParity(t *testing.T) {
	point := func(s *System, colour Var) (i, j Var) {
		i, j = s.Var(), s.Var()
		m, q, step := s.Var(), s.Var(), s.Var()
		s.AtLeast(Linear{{1, m}}, 0)
		s.AtLeast(Linear{{-1, m}}, -1)
		s.Equal(Linear{{1, i}, {1, colour}, {-2, q}, {-1, m}}, 0)
		s.Equal(Linear{{1, j}, {-1, m}, {-2, step}}, 1)
		return i, j
	}
	for _, c := range []struct {
		down, right int64
		want        bool
	}{{1, 0, false}, {0, 1, false}, {1, 1, true}, {2, 0, true}, {0, 2, true}} {
		var s System
		colour := s.Var()
		i, j := point(&s, colour)
		k, l := point(&s, colour)
		s.Equal(Linear{{1, i}, {-1, k}}, c.down)
		s.Equal(Linear{{1, j}, {-1, l}}, c.right)
		if got := s.Solvable(); got != c.want {
			t.Errorf("points of one colour at a distance of %d rows and %d columns: Solvable returns %v", c.down, c.right, got)
		}
	}
}

// TestLarge checks that overflow never yields a certain answer.
func TestLarge(t *testing.T) {
	var s System
	x, y := s.Var(), s.Var()
	s.Equal(Linear{{1 << 62, x}, {3, y}}, 1)
	s.AtLeast(Linear{{1 << 62, x}, {1 << 61, y}}, 5)
	s.AtLeast(Linear{{-1 << 62, x}, {-1 << 61, y}}, 5)
	if !s.Solvable() {
		t.Error("Solvable returns false although a number overflowed")
	}
}
