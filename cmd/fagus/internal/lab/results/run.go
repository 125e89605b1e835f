package results

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/fagus-dsm/fagus/apps/catalog/usage"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
)

// Run is the result of one run of a program.
type Run struct {
	// Fault is Refused, Late or an error; "" if there is a result.
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

// The faults that are not errors of a program.
const (
	Refused = "not on so many nodes"
	Late    = "over the time limit"
)

// ok reports whether the run had a right result.
func (r Run) ok() bool { return r.Fault == "" && r.Verified }

func (r Run) wrong() bool { return !r.ok() && r.Fault != Refused && r.Fault != Late }

// runner runs programs by the command fagus.
type runner struct {
	fagus experiment.Fagus
	limit time.Duration
}

// run runs a program. It returns an error if the command cannot be started or ctx ends.
func (r runner) run(ctx context.Context, program string, args ...string) (Run, error) {
	got, err := r.fagus.Run(ctx, append([]string{program, "--timeout", r.limit.String()}, args...)...)
	switch {
	case ctx.Err() != nil:
		return Run{}, context.Cause(ctx)
	case usage.Is(err):
		return Run{Fault: Refused}, nil
	case experiment.TimedOut(err):
		return Run{Fault: Late}, nil
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission): // of the command
		return Run{}, err
	case err != nil:
		return Run{Fault: err.Error()}, nil
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
