package cluster

import (
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/internal/launchers"
)

// WithoutPlace returns environ without the variables that tell a process its place in a job, for a
// launcher that is itself a rank of another job.
func WithoutPlace(environ []string) []string {
	gone := []string{fagusSize, fagusJob, fagusRendezvous, fagusEpoch, fagusIdentity, fagusJoin, pmiDescriptor,
		OriginVariable, AttemptVariable, LineVariable, InheritVariable, ProgressVariable}
	for _, l := range launchers.All() {
		gone = slices.Concat(gone, []string{l.Rank, l.Step}, l.Sizes, l.LocalRank, l.LocalSize, l.Hosts, l.Agrees)
		for _, jobs := range l.Jobs {
			gone = append(gone, jobs...)
		}
	}
	return slices.DeleteFunc(slices.Clone(environ), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return name != "" && slices.Contains(gone, name)
	})
}

// Variable returns the value of a variable in environ, and "" without it. The last value counts.
func Variable(environ []string, name string) (value string) {
	for _, s := range environ {
		if v, ok := strings.CutPrefix(s, name+"="); ok {
			value = v
		}
	}
	return value
}
