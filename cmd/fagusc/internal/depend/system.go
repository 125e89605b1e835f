package depend

import (
	"math"
	"math/bits"
)

// Var is a variable of a System.
type Var int

// Term is a multiple of a variable.
type Term struct {
	Coefficient int64
	Var         Var
}

// Linear is a sum of terms.
type Linear []Term

// row is a linear expression plus a constant: 0 in an equation, at least 0 in an inequality.
type row struct {
	of       []int64 // the coefficient of each variable
	constant int64
}

// System is a set of linear equations and inequalities in integers.
type System struct {
	vars         int
	zero, atZero []row // the equations (row = 0) and the inequalities (row >= 0)
	overflown    bool  // a number overflowed, so every answer is "may have a solution"
}

// Var adds a variable.
func (s *System) Var() Var {
	s.vars++
	return Var(s.vars - 1)
}

// Equal adds the equation l = c.
func (s *System) Equal(l Linear, c int64) { s.zero = append(s.zero, s.row(l, -c)) }

// AtLeast adds the inequality l >= c.
func (s *System) AtLeast(l Linear, c int64) { s.atZero = append(s.atZero, s.row(l, -c)) }

func (s *System) row(l Linear, constant int64) row {
	r := row{make([]int64, s.vars), constant}
	for _, t := range l {
		r.of[t.Var] = s.plus(r.of[t.Var], t.Coefficient)
	}
	return r
}

// plus and times return a+b and a*b; they set overflown on overflow.
func (s *System) plus(a, b int64) int64 {
	c := a + b
	if (c > a) != (b > 0) && b != 0 {
		s.overflown = true
	}
	return c
}

func (s *System) times(a, b int64) int64 {
	if hi, lo := bits.Mul64(magnitude(a), magnitude(b)); hi != 0 || lo > math.MaxInt64 {
		s.overflown = true
	}
	return a * b
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// Solvable reports whether the system may have a solution.
func (s *System) Solvable() bool {
	w := System{vars: s.vars, zero: s.copies(s.zero), atZero: s.copies(s.atZero), overflown: s.overflown}
	ok := w.solveEquations() && w.eliminate()
	return ok || w.overflown
}

func (s *System) copies(rows []row) (to []row) {
	for _, r := range rows {
		of := make([]int64, s.vars)
		copy(of, r.of)
		to = append(to, row{of, r.constant})
	}
	return to
}

// solveEquations substitutes the solution of the equations into the inequalities. It returns false
// if the equations have no integer solution.
func (s *System) solveEquations() bool {
	for k := range s.zero {
		e := &s.zero[k]
		for {
			least, others := s.pivot(e)
			if least < 0 {
				if e.constant != 0 {
					return false
				}
				break
			}
			if !others {
				if e.constant%e.of[least] != 0 {
					return false
				}
				s.fix(least, -e.constant/e.of[least])
				break
			}
			for j, c := range e.of {
				if q := c / e.of[least]; j != least && q != 0 {
					s.shear(least, j, q)
				}
			}
			if s.overflown {
				return true
			}
		}
	}
	return true
}

// pivot returns the variable with the smallest nonzero coefficient in an equation, or -1, and
// whether the equation has further variables.
func (s *System) pivot(e *row) (least int, others bool) {
	least = -1
	for j, c := range e.of {
		if c == 0 {
			continue
		}
		others = least >= 0
		if least < 0 || magnitude(c) < magnitude(e.of[least]) {
			least = j
		}
	}
	return least, others
}

// shear substitutes x[k] - q*x[j] for variable x[k].
func (s *System) shear(k, j int, q int64) {
	for _, rows := range [][]row{s.zero, s.atZero} {
		for _, r := range rows {
			r.of[j] = s.plus(r.of[j], s.times(-q, r.of[k]))
		}
	}
}

func (s *System) fix(k int, value int64) {
	for _, rows := range [][]row{s.zero, s.atZero} {
		for i := range rows {
			r := &rows[i]
			r.constant = s.plus(r.constant, s.times(r.of[k], value))
			r.of[k] = 0
		}
	}
}
