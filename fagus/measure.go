package fagus

// Measure runs f, and returns the time that f took on this rank, including the time in which it
// waited for other ranks. Stats.Measured divides this time by activity, so that a report can leave
// out what a program does before and after: reading its input, and verifying its result. From the
// first Measure on, Report.Waits and Report.Late count only the waits in such sections.
func (n *Node) Measure(f func() error) (Time, error) {
	c := &n.clock
	c.enter(c.part) // charges the time up to now
	if c.measured == ([Parts]Time{}) {
		c.before = c.total()
		n.waits.clear()
	}
	before, begin := c.parts, c.since
	n.waits.off = false
	err := f()
	n.waits.off = true
	c.sections++
	c.enter(c.part)
	for p := range before {
		c.measured[p] += c.parts[p].Time - before[p].Time
	}
	return c.since - begin, err
}
