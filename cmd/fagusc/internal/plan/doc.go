// Package plan says, as data, what the parallel version of a function calls: what it declares to
// package region before it runs (Plan), by what calls it combines the ranks' parts of variables
// (Reductions), and when one rank is faster than all (Count, Predict). It knows no programming
// language: it works on a loops.Function, which a front end has built, and on its loops.Schedule. A
// writer of code prints what it finds in a Plan.
//
//	s, err := f.Schedule()
//	p := plan.Of(f, s)
//	p.Items      // the declarations, in order: steps, and the loops and conditions around them
//	p.Describe() // for people
//
// What ranks send to each other is decided at run time, by package region: every rank gets the
// elements that a step lets it read and that another rank has written last.
package plan
