// Package depend decides whether two accesses in a loop nest can refer to the same element. It
// knows nothing about programs: a question is a system of linear equations and inequalities in
// integers, which has a solution if there is a dependence.
//
//	var s depend.System
//	i, j, n := s.Var(), s.Var(), s.Var()
//	s.Equal(depend.Linear{{1, i}, {-1, j}}, 1)               // i - j = 1
//	s.AtLeast(depend.Linear{{1, i}}, 0)                    // 0 <= i
//	s.AtLeast(depend.Linear{{1, n}, {-1, i}}, 1)             // i < n
//	s.Solvable()                                      // true: there may be a solution
//
// Equations are solved exactly, by unimodular changes of variables, which generalises the GCD
// test. Variables are then eliminated from the inequalities one by one (Fourier-Motzkin), and each
// inequality is tightened to integers, which generalises Banerjee's test. Sizes that are known
// only at run time are ordinary variables.
//
// The answer false is certain. The answer true may be wrong if only rational numbers solve the
// inequalities, or if the system grows too large; callers treat it as a dependence.
package depend
