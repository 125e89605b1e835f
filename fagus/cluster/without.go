package cluster

import (
	"slices"
	"strings"
)

// WithoutPlace is an environment without what says a process's place in a job: for the
// ranks of a job that is started inside of another.
func WithoutPlace(environ []string) []string {
	gone := []string{fagusSize, fagusJob, fagusRendezvous, fagusEpoch, fagusIdentity}
	for _, l := range launchers() {
		gone = slices.Concat(gone, []string{l.rank, l.started}, l.sizes, l.localRank, l.localSize, l.hosts, l.agrees)
		for _, jobs := range l.jobs {
			gone = append(gone, jobs...)
		}
	}
	return slices.DeleteFunc(slices.Clone(environ), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return name != "" && slices.Contains(gone, name)
	})
}
