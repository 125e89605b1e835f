package fagus

// Progress says how much of its work this rank has done: done of of. It is for who watches the run:
// a bar on a terminal, a line a minute elsewhere, roll-calls, metrics and fagus top show it, with
// the rate and the time that is left. It changes nothing else, and takes a few nanoseconds, so a
// program may call it in inner loops. Any goroutine of the rank may call it, at any time.
//
//	for i := lo; i < hi; i++ {
//		compute(i)
//		n.Progress(i+1-lo, hi-lo)
//	}
//
// Ranks may count up to different numbers, each of its own part, which then add up. If all count up
// to the same number, they count the same steps. Ranks that never call Progress do not count. done
// below 0 counts as 0, and above of as of; of below 1 means that the rank reports no progress.
//
// A program that does not call Progress has it from the loops of Steps and Rounds of several steps,
// and from parts.Queue. If any rank calls it, only what ranks say by it counts.
func (n *Node) Progress(done, of int) { n.monitor.Progress(int64(done), int64(of)) }

// DefaultProgress is Progress for libraries that divide work for a program. It has no effect if the
// program calls Progress itself, nor within a loop of Steps or Rounds of two steps or more, which
// reports its own. Only the rank's goroutine may call it.
func (n *Node) DefaultProgress(done, of int) {
	if !n.saving.inSteps {
		n.monitor.DefaultProgress(int64(done), int64(of))
	}
}
