package results

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/fagus/program/runflags"
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

// printed has the fields that this package reads from the document of fagus run.
type printed struct {
	Verified   bool              `json:"verified"`
	Bits       string            `json:"bits"`
	MeasuredNs int64             `json:"measured_ns"`
	TimeNs     map[string]int64  `json:"time_ns"`
	Messages   map[string]uint64 `json:"messages"`
	Bytes      uint64            `json:"bytes"`
	Fetched    uint64            `json:"fetched_bytes"`
}

// runner runs programs by the command fagus.
type runner struct {
	fagus string
	limit time.Duration
}

// run runs a program. It returns an error if the command cannot be started or ctx ends.
func (r runner) run(ctx context.Context, program string, args ...string) (Run, error) {
	argv := append([]string{"run", program, "--json", "--timeout", r.limit.String()}, args...)
	command := exec.CommandContext(ctx, r.fagus, argv...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = grace
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if ctx.Err() != nil {
		return Run{}, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Run{}, err
	}
	var p printed
	bad := json.Unmarshal(stdout.Bytes(), &p)
	switch {
	case exit != nil && exit.ExitCode() == runflags.ExitUsage:
		return Run{Fault: Refused}, nil
	case exit != nil && exit.ExitCode() == runflags.ExitTimeout:
		return Run{Fault: Late}, nil
	case exit != nil || bad != nil:
		return Run{Fault: fmt.Sprintf("fagus %s: %s", strings.Join(argv, " "), lastLine(stderr.String()))}, nil
	}
	return p.run(), nil
}

// grace is the time that an interrupted program has to end.
const grace = 10 * time.Second

func (p *printed) run() Run {
	r := Run{Verified: p.Verified, Bits: p.Bits, TimeNs: p.MeasuredNs, Bytes: p.Bytes + p.Fetched}
	if r.TimeNs == 0 {
		r.TimeNs = p.TimeNs["total"]
	}
	for _, kind := range []string{"aotf", "botf", "push", "pull"} {
		r.Messages += p.Messages[kind]
	}
	r.Asked, r.Transfers = p.Messages["lists"]+p.Messages["requests"], p.Messages["transfers"]
	var calls, all float64
	for part, ns := range p.TimeNs {
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

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
