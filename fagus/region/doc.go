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
// Elements that the same ranks read and write in the same steps are a class, and have a variable together. So nothing moves that
// is not wanted, and what moves together is one transfer. Steps that follow each other, of which none reads or writes what
// another rank writes in the other, are one phase.
//
// It is for code that a compiler has made, which knows what its loops read and write.
package region
