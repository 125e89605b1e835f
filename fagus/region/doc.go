// Package region shares the arrays of a loop program among ranks by a plan. A compiler
// (cmd/fagusc), or a programmer, states which elements of which arrays every rank reads and writes
// in each step of the program. From this plan the package derives the sync variables and the sets
// that each rank must acquire.
//
//	p := region.NewPlan(nodes, a.Len())
//	step := p.Step()
//	p.Reads(step, rank, array).Add(lo, hi)            // for every rank
//	p.Writes(step, rank, array).Add(lo, hi)
//	...
//	s, err := p.Share(n, a)                           // binds variables; collective
//	err = s.Enter(step)                               // acquires what this rank needs in the step
//	...
//	err = s.Leave(step)                               // releases it
//
// A [Program] does the same for a call of a whole function, including the transfer of its slices to
// and from shared arrays. It is meant for generated code. Calls of the same function with the same
// shapes share their plan, memory and variables, so 10000 calls take the memory of the first few.
//
// Ranks that are goroutines of one process compute in place: on the slices of rank 0, with a
// Barrier after each step. The plan then only divides the steps among them.
//
// A [Reduction] combines numbers and arrays of all ranks, which do not belong to a plan.
//
// Before it makes a plan, generated code asks a [Cost] whether the call is faster on rank 0 alone.
//
// # Arrays that stay
//
// A [Resident] array stays distributed between calls. The plan of a call begins with a description
// of which ranks have current copies of which elements, and ends with another one, with which the
// next call begins. The description is part of what the plan is kept for, so a loop over calls
// finds all its plans after one or two rounds. At most one variable guards an element. Where plans
// divide an array differently, variables are rebound (fagus.Node.Rebind) until each variable
// belongs to one class of every plan. The sets of the other plans are then made anew.
//
// A step in which no rank needs data of another is no phase. What ranks have written in it is saved
// in the next phase of any call that uses the array.
//
// # Which data move, and when
//
// Elements that the same ranks use in the same steps form a class. For each class the plan
// determines how data flow between steps, some of which may repeat or be skipped (Repeat, Maybe).
// A rank acquires a class if another rank has written the class since this rank last used it. The
// access is exclusive if another rank will read what this rank writes, unless this rank writes the
// class once more before that read. Data that will be overwritten are not transferred. Of an array
// that only the input changes, a rank acquires all that it reads when it first reads any of it.
// Classes that are acquired in the same way share a variable. Consecutive steps form one phase
// unless a rank reads or writes, in one step, elements that another rank writes in another step.
//
// The time to make a plan grows with the number of pieces that the regions consist of, and with the
// number of runs that several ranks use. Rows of a block that one rank uses alone cost nothing of
// their own if one call of [Region.Grid] or [Region.Strided] adds them; consecutive calls of Add
// are joined to a grid if possible. Every rank makes the whole plan, because all ranks bind the
// same variables.
//
// Where many ranks read what all have written, the data go in two hops, with copies for the columns
// of parts.Groups. A rank counts as current only if it has the data by a tenure.
//
// Between its acquisitions of a class a rank may write the class without holding it. The rules of
// package fagus forbid such writes, and Config.Check would report them. They are correct here
// because the plan covers all ranks: no other rank reads the elements before the writer has
// acquired them again and declared them as written.
package region
