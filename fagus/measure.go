package fagus

// Measure runs f, and returns the time that f took on this rank, including the time in which it
// waited for other ranks. Stats.Measured divides this time by activity, so that a report can leave
// out what a program does before and after: reading its input, and verifying its result. From the
// first Measure on, Report.Waits and Report.Late count only the waits in such sections. A Measure
// within f counts as a part of f.
func (n *Node) Measure(f func() error) (Time, error) {
	c := &n.clock
	if !c.measuring {
		c.account.enter(n.host) // outside the section: it takes some system calls
	}
	c.enter(c.part) // charges the time up to now
	begin := c.since
	if c.measuring {
		err := f()
		c.enter(c.part)
		return n.time(c.since - begin), err
	}
	if c.sections == 0 {
		c.before = c.total()
		n.waits.clear()
	}
	before := c.parts
	c.measuring = true
	n.waits.measure(true)
	_ = n.events.tell(eventMeasuring, 0, nil, nil) // whose observers do not fail
	err := f()
	c.measuring = false
	c.sections++
	c.enter(c.part)
	c.account.leave()
	n.waits.measure(false)
	_ = n.events.tell(eventMeasured, 0, nil, nil)
	for p := range before {
		c.measured[p] += c.parts[p].Time - before[p].Time
	}
	return n.time(c.since - begin), err
}
