// Package loops is the intermediate form of fagusc, and decides how a function with loops over
// arrays runs on several ranks. It knows no programming language: a front end builds a Function, a
// tree of loops, conditions and statements with their accesses. A subscript or bound is either
// unknown or a polynomial in the function's parameters and the indices of enclosing loops. Texts
// and fields named Origin are the front end's.
//
//	s, err := f.Schedule()   // err names the two conflicting accesses and the loop
//	s.Steps[node]        // which ranks execute a statement, and which elements it accesses
//
// # Method
//
// A loop is parallel if no iteration writes an element that another iteration accesses (package
// depend decides). No scalar may carry a value from one iteration to another, except by reduction:
// x += e, x = max(x, e). In a nest, ranks divide the iterations of the outermost
// parallel loop, and every rank executes all iterations of the loops around it. A subscript i*n +
// j is split into row i and column j if 0 <= j < n can be shown. Two subscripts that are not
// linear and cannot be split are assumed to refer to the same element. An array that an iteration
// fills before it reads it is private. A loop whose iterations conflict only with one of them is
// divided there. Two nested loops that are not parallel become a loop over their diagonals, if each
// diagonal is parallel. If a loop has few iterations, the loops inside are divided.
//
// A statement outside parallel loops that writes arrays is executed by one rank: the last that
// wrote the element. So is a loop that neither is parallel nor has a parallel loop inside. A
// statement that only reads arrays is executed by all ranks.
//
// A Footprint describes the elements that an access of a step touches. It is exact if loops and
// conditions are polynomials, and otherwise an overestimate. Ranks get blocks of iterations, the
// same blocks in all loops with nearly the same bounds, or take turns if blocks would be uneven.
//
// Arrays with different names must not overlap, and integers in subscripts must not overflow.
package loops
