package fagus

// Measure runs f, and returns the time that f took on this rank, including the time in which it
// waited for other ranks. Stats.Measured divides this time by activity, so that a report can leave
// out what a program does before and after: reading its input, and verifying its result.
func (n *Node) Measure(f func() error) (Time, error) {
	n.clock.enter(n.clock.part) // charges the time up to now
	before, begin := n.clock.parts, n.clock.since
	err := f()
	n.clock.enter(n.clock.part)
	for p := range before {
		n.clock.measured[p] += n.clock.parts[p].Time - before[p].Time
	}
	return n.clock.since - begin, err
}
