// Package plan says, as data, what the parallel version of a function calls. A Plan is what the
// function declares to package region before it runs, Reductions are the calls that combine the
// ranks' parts of variables, and Count and Predict tell when one rank is faster than all. The
// package knows no programming language: it works on a loops.Function, which a front end has built,
// and on its loops.Schedule. A writer of code prints what it finds in a Plan.
//
//	s, err := f.Schedule()
//	p := plan.Of(f, s)
//	p.Items      // the declarations, in order: steps, and the loops and conditions around them
//	p.Describe() // for people
//
// # What a writer writes
//
// A function opens a region.Program with its arrays, in the order of Plan.Arrays, and then the
// arrays of Plan.Folded. If Choosable, it counts costs, by Count, and may call the sequential
// function. It declares Items, unless a call before has, and shares the arrays of which Output
// holds. Then it executes the statements of the source. Around the statement of a step:
//
//   - before a statement with Schedule.Folds: ranks other than 0 start from Type.Identity, unless
//     the operator is Idempotent; after it: Reductions
//   - Enter; the iterations of this rank, all, or all on the rank that owns the step; Leave
//   - if the step folds an array: ranks use their part of it instead, which starts like a scalar;
//     after Leave, a step in which every rank combines one block
//   - for each of Step.Elements: ranks use a variable instead, and reduce it; then a step in which
//     its owner stores it
//
// At the end the program finishes.
//
// What ranks send to each other is decided at run time, by package region: every rank gets the
// elements that a step lets it read and that another rank has written last.
package plan
