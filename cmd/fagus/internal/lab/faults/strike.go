//go:build linux

package faults

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

// struck is what one fault has done: a row of the table.
type struck struct {
	Network    string  `json:"net"`
	Fault      string  `json:"fault"`
	Hosts      bool    `json:"hosts"`
	ReportedMs float64 `json:"reported_ms"` // from the fault to the first line; 0 if there was none
	Text       string  `json:"text"`        // the last line of the launcher
	Exit       int     `json:"exit"`        // exit code of the launcher; -1: none
	Left       int     `json:"left"`        // processes left 3 s after the launcher has ended
	Wrong      string  `json:"wrong,omitempty"`
}

// strike runs a job that does not restart, strikes it, and watches what follows.
func (t *death) strike(ctx context.Context, number int) (s struck, err error) {
	s = struck{Network: t.network, Fault: t.of(t.victim), Hosts: t.hosts, Exit: -1}
	one := spec{args: exchange(), network: t.network, ranks: ranks, number: number, env: []string{"FAGUS_STALL=" + stall.String()}}
	if t.hosts {
		one.hosts = ranks
	}
	s.Left, err = one.run(ctx, func(j *job) error {
		if err := j.awaitStart(ctx); err != nil {
			return fmt.Errorf("%s, %s: %w", t.network, s.Fault, err)
		}
		before := j.forget() // the warning of a job without identities is no report
		at := time.Now()
		if err := t.disturb(j, t.victim); err != nil {
			return fmt.Errorf("%s: %w", s.Fault, err)
		}
		bound, running := endTime, false
		if t.goesOn {
			bound = calm
		}
		select {
		case <-j.ended:
			s.Exit = j.cmd.ProcessState.ExitCode()
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(bound):
			running = true
		}
		lines := j.output()[before:]
		if j.mu.Lock(); !j.reported.IsZero() {
			s.ReportedMs = float64(j.reported.Sub(at).Microseconds()) / 1000
		}
		j.mu.Unlock()
		if len(lines) > 0 {
			s.Text = lines[len(lines)-1]
		}
		s.Wrong = t.judge(running, s, strings.Join(lines, "\n"))
		return nil
	})
	s.Wrong = cmp.Or(s.Wrong, leftText(s.Left))
	return s, err
}

// judge returns what is wrong with the job after the fault; "" if nothing is.
func (t *death) judge(running bool, s struck, text string) string {
	reported := s.ReportedMs > 0
	switch {
	case t.goesOn && !running:
		return "the job has ended"
	case t.goesOn && strings.Contains(text, "rank") && !strings.Contains(text, "warning"):
		return "a rank is accused"
	case t.goesOn:
		return ""
	case running:
		return fmt.Sprintf("the job runs after %v", endTime)
	case t.silent:
		return ""
	case s.Exit == 0:
		return "the exit code is 0"
	case !reported && !t.unknown:
		return "nothing is reported"
	case !t.unknown && !strings.Contains(s.Text, fmt.Sprintf("rank %d", t.victim)):
		return fmt.Sprintf("the last line does not name rank %d", t.victim)
	}
	return ""
}
