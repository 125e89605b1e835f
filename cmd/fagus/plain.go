package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus"
)

const plainSchema = "fagus.plain/v1"

// plainReport is what a program without Fagus prints.
type plainReport struct {
	Schema     string `json:"schema"`
	App        string `json:"app"`
	N          int    `json:"n"`
	Size       string `json:"size"`
	Verified   bool   `json:"verified"`
	Check      check  `json:"check"`
	Outcome    string `json:"outcome,omitempty"`
	Bits       string `json:"bits,omitempty"`
	MeasuredNs int64  `json:"measured_ns"`

	measured string
}

// runPlain runs a job's plain version in this process.
func runPlain(c *cli.Context, prepare func(*cli.Context) (*job, error)) error {
	for _, f := range placementFlags() {
		if name := f.Names()[0]; c.IsSet(name) && name != "seed" && name != "timeout" {
			return usagef("--plain runs without Fagus: --%s means nothing there", name)
		}
	}
	if c.IsSet("timeline") {
		return usagef("--plain runs without Fagus: --timeline means nothing there")
	}
	if err := checkPlacement(c); err != nil {
		return err
	}
	if err := c.Set("nodes", "1"); err != nil {
		return err
	}
	j, err := prepare(c)
	if err != nil {
		return err
	}
	ctx, cancel := withLimit(c.Context, c.Duration("timeout"))
	defer cancel()
	if j.open != nil {
		if err := j.open(ctx); err != nil {
			return err
		}
	}
	if j.plain == nil {
		return usagef("%s has no version without Fagus", j.app)
	}
	bar := newProgress(c.App.ErrWriter, j.unit, j.units)
	r, err := j.runPlain(ctx, bar.add)
	bar.stop()
	if err != nil {
		return err
	}
	if !r.Verified {
		err = fmt.Errorf("verification failed: %v, the limit is %.3g", r.Check, r.Check.Limit)
	} else if j.write != nil {
		err = j.write()
	}
	if c.Bool("json") {
		return errors.Join(err, printJSON(c.App.Writer, r))
	}
	return errors.Join(err, r.print(c.App.Writer))
}

// runPlain gives up when ctx ends; the program then goes on until the process ends.
func (j *job) runPlain(ctx context.Context, progress func(int)) (*plainReport, error) {
	r := &plainReport{Schema: plainSchema, App: j.app, N: j.n, Size: j.size, measured: j.measured}
	done := make(chan outcome, 1)
	go func() {
		done <- j.plain(func(section func()) fagus.Time {
			began := time.Now()
			section()
			return nsTime(time.Since(began).Nanoseconds())
		}, progress)
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		r.Check, r.Outcome, r.Bits, r.MeasuredNs = o.check, o.words, bitsText(o.bits), o.took.Nanoseconds()
		r.Verified = r.Check.OK()
		return r, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s without Fagus: %w", j.app, context.Cause(ctx))
	}
}

func (r *plainReport) print(w io.Writer) error {
	verdict := "verified"
	if !r.Verified {
		verdict = "WRONG"
	}
	text := fmt.Sprintf("%s: %s\nwithout Fagus, in one goroutine\n\n%s: %v\n", r.App, r.Size, strings.TrimSuffix(r.measured, ", of the slowest rank"), nsTime(r.MeasuredNs))
	if r.Outcome != "" {
		text += r.Outcome + "\n"
	}
	_, err := fmt.Fprintf(w, "%s%s: %v (limit %.3g)\n", text, verdict, r.Check, r.Check.Limit)
	return err
}
