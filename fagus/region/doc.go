// Package region plans what the ranks of a program of loops share. It is told which elements of which arrays every rank reads and writes in
// every step, and makes of them sync variables and the sets to acquire.
//
//	p := region.NewPlan(nodes, a.Len())
//	step := p.Step()
//	p.Reads(step, rank, array).Add(lo, hi)            // of every rank
//	p.Writes(step, rank, array).Add(lo, hi)
//	...
//	s, err := p.Share(n, a)                           // binds; collective
//	err = s.Enter(step)                               // acquires what this rank wants there
//	...
//	err = s.Leave(step)                               // releases it
//
// A Program is that for a whole function, with its slices. It is for code that a compiler has made (cmd/fagusc), which knows what its
// loops read and write.
//
// # What moves, and when
//
// Elements that the same ranks use in the same steps are a class. For each the plan finds out where its data flow: steps may
// repeat, or be left out (Repeat, Maybe). A rank acquires a class when another has written it meanwhile, and exclusively when another will
// read what it writes, unless it will write again before. What will be overwritten moves to nobody. Classes
// that are acquired alike have a variable together. Steps that follow each other, of which none reads or writes what
// another rank writes in the other, are one phase.
//
// In between a rank writes elements that it does not hold, which the rules of package fagus forbid, and Config.Check would
// report: it may, because the plan of all ranks says that nobody looks until it holds them again and says that it has written them.
package region
