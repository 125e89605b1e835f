package fagus

import "github.com/fagus-dsm/fagus/syncvar"

// StartAt returns cfg for a run whose first phase and initial versions have these numbers.
func (c Config) StartAt(phase, version uint64) Config {
	c.first = counters{phase, syncvar.Version(version)}
	return c
}
