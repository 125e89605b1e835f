// Package depend says whether two accesses of a loop nest can be to the same element. It knows nothing of programs: a question is a
// system of linear equations and inequalities in whole numbers, and it has a solution if there is a dependence.
//
//	var s depend.System
//	i, j, n := s.Var(), s.Var(), s.Var()
//	s.Equal(depend.Linear{{1, i}, {-1, j}}, 1)               // i - j = 1
//	s.AtLeast(depend.Linear{{1, i}}, 0)                    // 0 <= i
//	s.AtLeast(depend.Linear{{1, n}, {-1, i}}, 1)             // i < n
//	s.Solvable()                                      // true: there may be one
//
// Equations are solved exactly, by changes of variables that map whole numbers to whole numbers: what the GCD test does for one
// equation. Inequalities are then eliminated one variable after another (Fourier and Motzkin), each tightened to whole numbers: what
// the test of Banerjee does for bounds that are constants. Sizes that only the run knows are variables like any other.
//
// "false" is certain. "true" may be wrong where only rational numbers solve the inequalities, or where the system grows too large:
// who asks takes it for a dependence.
package depend
