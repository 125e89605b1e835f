package tree

// course is the schedules of the last phases of a run, the same on every rank. From them follows
// the schedule that is expected of the next phase.
//
// The next phase is expected to have the schedule of the phase lag phases earlier. When that proves
// wrong, search compares, for each lag, the last schedules with those lag phases earlier, from the
// last one back. It takes the lag with the longest equal run, and the smallest of several.
type course struct {
	past []*schedule // a ring: phase i is at i modulo its length
	n    uint64      // the number of phases
	lag  int         // 0: nothing is expected
	run  int         // for how many phases each schedule equaled the one lag phases earlier
}

// windowBytes bounds the memory of the schedules of a window, if all differ: encoded, decoded and
// divided, a list takes about listBytes. With the most nodes a window has leastWindow phases, with
// few nodes mostWindow.
const (
	windowBytes = 64 << 20
	listBytes   = 400
	leastWindow = 64
	mostWindow  = 4096
)

func newCourse(nodes int) course {
	return course{past: make([]*schedule, min(max(windowBytes/listBytes/nodes, leastWindow), mostWindow))}
}

func (c *course) window() int { return len(c.past) }

// at returns the schedule of phase i, which must be in the window.
func (c *course) at(i uint64) *schedule { return c.past[i%uint64(len(c.past))] }

// expected returns the schedule that the next phase is expected to have, and its lag; nil if none
// is expected.
func (c *course) expected() (s *schedule, lag int) {
	if c.lag == 0 {
		return nil, 0
	}
	return c.at(c.n - uint64(c.lag)), c.lag
}

// cycle returns a value that tells the present cycle apart from others.
func (c *course) cycle() cycle { return cycle{c.lag, c.n - uint64(c.run)} }

// add adds the schedule of a phase.
func (c *course) add(s *schedule) {
	expected, _ := c.expected()
	s.last.Store(c.n)
	c.past[c.n%uint64(len(c.past))] = s
	c.n++
	if expected == s {
		c.run++
		return
	}
	c.search()
}

// search finds the lag.
func (c *course) search() {
	c.lag, c.run = 0, 0
	now := c.n - 1
	oldest := c.n - min(c.n, uint64(len(c.past)))
	for lag := uint64(1); now >= oldest+lag; lag++ {
		run := uint64(0)
		for now >= oldest+lag+run && c.at(now-run) == c.at(now-lag-run) {
			run++
		}
		if int(run) > c.run {
			c.lag, c.run = int(lag), int(run)
		}
		if run >= 2*lag {
			return // a cycle
		}
	}
}
