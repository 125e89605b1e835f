package results

import (
	"context"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
)

// Run is the result of one run of a program.
type Run struct {
	// Fault is experiment.Refused or Late, or an error; "" if there is a result.
	Fault    string `json:"fault,omitempty"`
	Verified bool   `json:"verified"`
	Bits     string `json:"bits,omitempty"`
	// TimeNs is the slowest rank's time in the measured section; without one, in the program.
	TimeNs   int64  `json:"time_ns"`
	Messages uint64 `json:"messages"` // packets of all NICs
	Bytes    uint64 `json:"bytes"`
	// Asked counts acquire lists, or requests in threaded mode. Transfers counts moved variables.
	Asked     uint64 `json:"asked"`
	Transfers uint64 `json:"transfers"`
	// Waiting is the fraction of all ranks' time spent in calls of Fagus, Barrier included.
	Waiting float64 `json:"waiting,omitempty"`
}

// ok reports whether the run had a right result.
func (r Run) ok() bool { return r.Fault == "" && r.Verified }

func (r Run) wrong() bool {
	return !r.ok() && r.Fault != experiment.Refused && r.Fault != experiment.Late
}

// run runs a program. It returns an error if the command cannot be started or ctx ends.
func (c *collector) run(ctx context.Context, program string, args ...string) (Run, error) {
	got, err := c.fagus.Run(ctx, append([]string{program}, args...)...)
	if err != nil {
		fault, over := experiment.Fault(ctx, err)
		return Run{Fault: fault}, over
	}
	return runOf(&got.Document), nil
}

func runOf(d *experiment.Document) Run {
	m := &d.Messages
	r := Run{
		Verified: d.Verified, Bits: d.Bits, TimeNs: d.Took(), Bytes: d.Bytes + d.Fetched, Messages: m.AOTF + m.BOTF + m.Push + m.Pull,
		Asked: m.Lists + m.Requests, Transfers: m.Transfers,
	}
	var calls, all float64
	for part, ns := range d.TimeNs {
		if part == "total" {
			continue
		}
		all += float64(ns)
		if part != "compute" && part != "end" {
			calls += float64(ns)
		}
	}
	if all > 0 {
		r.Waiting = calls / all
	}
	return r
}
