// Package loops finds out how a function of loops over arrays runs on several ranks. It knows no programming language: a front makes a
// Function of what it has read, a tree of loops, conditions and statements with their accesses, whose subscripts and
// bounds are polynomials of the function's parameters and the indices around, as far as they are.
//
//	s, err := f.Plan()                       // err: why it cannot, with the two accesses and the loop
//	s.Steps[node]                            // who executes a statement, and which elements it touches
//
// # What it does
//
// A loop is parallel if no two of its iterations meet at an element that one of them writes (package depend decides), and no scalar
// carries a value from one to another, unless all they do with it is fold: x += e, x = max(x, e). Of a nest the outermost such
// loop is taken. Loops around stay as they are, and every rank executes them. A subscript i*n + j is taken for row i and
// column j if 0 <= j < n can be shown; two subscripts that cannot be taken apart may meet.
//
// Statements outside of parallel loops that write arrays are executed by one rank, the one that has written there last; those that only
// read them by all.
//
// What a step touches is a Footprint of each access. It is exact where loops and conditions are polynomials, and else more. Ranks get
// blocks of iterations, all loops with nearly the same bounds the same ones, or take turns where that is not even.
//
// What the input has to be: arrays of different names have no elements together, and whole numbers in subscripts do not overflow.
package loops
