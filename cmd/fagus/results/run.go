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
)

// Run is what a run of a program came to.
type Run struct {
	// Fault is empty if there is a result: Refused, Late, or what went wrong.
	Fault    string `json:"fault,omitempty"`
	Verified bool   `json:"verified"`
	Bits     string `json:"bits,omitempty"`
	// TimeNs is what the program measures, of the slowest rank; or all of it, if it measures nothing.
	TimeNs   int64  `json:"time_ns"`
	Messages uint64 `json:"messages"` // packets of the NIC
	Bytes    uint64 `json:"bytes"`
	// Asked is how many acquire lists there were, or requests in threaded mode; Transfers how many variables moved.
	Asked     uint64 `json:"asked"`
	Transfers uint64 `json:"transfers"`
	// Waiting is the part of all ranks' time that calls take, Barriers included.
	Waiting float64 `json:"waiting,omitempty"`
}

// The faults that are none of the program's.
const (
	Refused = "not on so many nodes"
	Late    = "over the time limit"
)

// ok says whether there is a result that is right.
func (r Run) ok() bool { return r.Fault == "" && r.Verified }

// wrong says whether something has failed.
func (r Run) wrong() bool { return !r.ok() && r.Fault != Refused && r.Fault != Late }

// printed is what this package reads of the document that fagus run prints.
type printed struct {
	Verified   bool              `json:"verified"`
	Bits       string            `json:"bits"`
	MeasuredNs int64             `json:"measured_ns"`
	TimeNs     map[string]int64  `json:"time_ns"`
	Messages   map[string]uint64 `json:"messages"`
	Bytes      uint64            `json:"bytes"`
	Fetched    uint64            `json:"fetched_bytes"`
}

// runner runs programs.
type runner struct {
	fagus string
	limit time.Duration
}

// run runs fagus run with args. An error is one of the surroundings, or that ctx has ended.
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
	case exit != nil && exit.ExitCode() == exitUsage:
		return Run{Fault: Refused}, nil
	case exit != nil && exit.ExitCode() == exitTimeout:
		return Run{Fault: Late}, nil
	case exit != nil || bad != nil:
		return Run{Fault: fmt.Sprintf("fagus %s: %s", strings.Join(argv, " "), lastLine(stderr.String()))}, nil
	}
	return p.run(), nil
}

// What fagus run ends with.
const (
	exitUsage   = 2
	exitTimeout = 124
)

// grace is how long a program that was interrupted may take to end.
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

// lastLine is the last line that says something.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
