package compare

import (
	"encoding/json"
	"maps"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/run"
	"github.com/fagus-dsm/fagus/fagus"
)

// outcome is one run of a version. As JSON it is the document of the run.
type outcome struct {
	*fagus.Summary
	document any
	spans    []fagus.Stats // what every rank did when, if that was recorded
	// released counts the packets of all ranks within Release; nil if the document does not say.
	released *uint64
	printed  *printed // by a program of one's own; nil for others
}

// MarshalJSON implements json.Marshaler.
func (o *outcome) MarshalJSON() ([]byte, error) { return json.Marshal(o.document) }

// outcomeOf returns a run of a program of fagus apps.
func outcomeOf(r *run.Report) *outcome {
	released := r.Packets(fagus.PartRelease)
	return &outcome{Summary: &r.Summary, document: r, spans: r.Stats(), released: &released}
}

// times returns the times of the run that are compared, in nanoseconds: the total of the slowest
// rank, each part by its name, on the critical path, or if that is not known in the mean of all
// ranks, and the longest waiting of a rank. They are those of the section that the program
// measures, if there is one.
func (o *outcome) times() map[string]int64 {
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
func sum(version string, n int, runs []*outcome) compared {
	c := compared{Version: version, N: n, TimeNs: make(map[string]experiment.Sample), Runs: runs}
	for _, name := range timed() {
		var values []int64
		for _, r := range runs {
			values = append(values, r.times()[name])
		}
		c.TimeNs[name] = experiment.NewSample(values)
	}
	for _, r := range runs {
		if r.released != nil {
			most := *r.released
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
