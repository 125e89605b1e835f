package compare

import (
	"maps"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
)

// times returns the times of the run that are compared, in nanoseconds: the total of the slowest
// rank, each part by its name, on the critical path, or if that is not known in the mean of all
// ranks, and the longest waiting of a rank. They are those of the section that the program
// measures, if there is one.
func times(o *experiment.Run) map[string]int64 {
	times := o.TimeNs
	if o.MeasuredTimeNs != nil {
		times = o.MeasuredTimeNs
	}
	total := times[totalName]
	if o.CriticalTimeNs != nil {
		times = o.CriticalTimeNs
	}
	times = maps.Clone(times)
	times[totalName], times[waitingName] = total, 0
	for _, r := range o.Ranks {
		times[waitingName] = max(times[waitingName], r.WaitingNs)
	}
	return times
}

// sum summarises the runs of one version with one size.
func sum(version string, n int, runs []*experiment.Run) compared {
	c := compared{Version: version, N: n, TimeNs: make(map[string]experiment.Sample), Runs: runs}
	for _, name := range timed() {
		c.TimeNs[name] = experiment.NewSample(base.Map(runs, func(r *experiment.Run) int64 { return times(r)[name] }))
	}
	for _, r := range runs {
		if r.Released != nil {
			most := *r.Released
			if c.ReleaseMessages != nil {
				most = max(most, *c.ReleaseMessages)
			}
			c.ReleaseMessages = &most
		}
	}
	return c
}

// released returns the number of packets within Release; ok is false if it is unknown.
func (c *compared) released() (n uint64, ok bool) {
	if c.ReleaseMessages == nil {
		return 0, false
	}
	return *c.ReleaseMessages, true
}
