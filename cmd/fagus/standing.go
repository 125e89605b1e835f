package main

import (
	"context"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
)

// standing is what the runs of one version with one job came to.
type standing struct {
	Version string `json:"version"`
	Mode    string `json:"mode"`
	Notices bool   `json:"notices"`
	// TimeNs is what the program measures of the slowest rank, divided if the sweep
	// says so.
	TimeNs sample       `json:"time_ns"`
	Runs   []*runReport `json:"runs"`
}

// standings runs every version with every job, and divides the times. They are by
// job, then by version.
func (t *contest) standings(ctx context.Context, jobs []*job, divisor int64, progress func(int)) ([][]standing, error) {
	runs, err := t.inTurn(len(jobs), func(p *placement, v version, at, _ int) (*runReport, error) {
		if err := p.connect(false); err != nil {
			return nil, err
		}
		r, err := jobs[at].verified(ctx, p, progress)
		if err != nil {
			return nil, fmt.Errorf("%s with %s: %w", v.name, jobs[at].size, err)
		}
		return r, nil
	})
	if err != nil {
		return nil, err
	}
	list := make([][]standing, len(jobs))
	for at := range jobs {
		for i, v := range t.versions {
			var values []int64
			for _, r := range runs[at][i] {
				values = append(values, r.MeasuredNs/divisor)
			}
			list[at] = append(list[at], standing{v.name, runs[at][i][0].Mode, v.notices(), newSample(values), runs[at][i]})
		}
	}
	return list, nil
}

// steps is how much progress all runs of jobs make together.
func (t *contest) steps(jobs []*job) (n int) {
	for _, j := range jobs {
		n += j.units * len(t.versions) * t.repeat
	}
	return n
}

// quickest is the version of a mode with the least median; nil if none ran. An empty
// mode is any.
func quickest(list []standing, mode string) (best *standing) {
	for i := range list {
		if s := &list[i]; (mode == "" || s.Mode == mode) && (best == nil || s.TimeNs.Median < best.TimeNs.Median) {
			best = s
		}
	}
	return best
}

// Who is ahead.
const (
	aheadPhase    = "phases"
	aheadThreaded = "threads"
	aheadNobody   = "neither"
)

// duel is the quickest version of each mode with one job.
type duel struct {
	ahead string  // empty unless both modes ran
	lead  float64 // the loser's time over the winner's
}

// closeTo is how much a difference must exceed to count, relative to the smaller one.
const closeTo = 0.01

func newDuel(list []standing) duel {
	p, t := quickest(list, fagus.Phase.String()), quickest(list, fagus.Threaded.String())
	if p == nil || t == nil {
		return duel{}
	}
	d := duel{ahead: aheadPhase}
	if t.TimeNs.Median < p.TimeNs.Median {
		p, t, d.ahead = t, p, aheadThreaded
	}
	d.lead = float64(max(1, t.TimeNs.Median)) / float64(max(1, p.TimeNs.Median))
	if d.lead <= 1+closeTo || t.TimeNs.Min <= p.TimeNs.Max {
		d.ahead = aheadNobody
	}
	return d
}

func (d duel) String() string {
	if d.ahead == "" {
		return "-"
	}
	if d.ahead == aheadNobody {
		return aheadNobody
	}
	return fmt.Sprintf("%s, %.2f x", d.ahead, d.lead)
}
