package program

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// plainSchema identifies the document of --plain --json.
const plainSchema = "fagus.programplain/v1"

// plainDocument says how long the program takes without Fagus.
type plainDocument struct {
	Schema  string `json:"schema"`
	Program string `json:"program"`
	Clock   string `json:"clock"`
	// MeasuredNs is the time of the sections that the program measures; absent without one.
	MeasuredNs int64            `json:"measured_ns,omitempty"`
	TimeNs     map[string]int64 `json:"time_ns"` // total
}

func plainFlag() cli.Flag {
	return &cli.BoolFlag{Name: runflags.PlainFlag, Category: outputCategory, Usage: "run the program without Fagus, in one goroutine: the base of speed-ups, for example --plain --json"}
}

// runPlain runs App.Plain.
func (r *runner) runPlain(c *cli.Context) error {
	for _, f := range standard() {
		name := f.Names()[0]
		switch name {
		case "seed", "timeout", jsonFlag, quietFlag:
			continue
		}
		if c.IsSet(name) {
			return usage.Errorf("--%s runs without Fagus: use it without --%s", runflags.PlainFlag, name)
		}
	}
	limit, err := runflags.Timeout(c)
	if err != nil {
		return err
	}
	if err := r.Check(); err != nil {
		return usage.Wrap(err)
	}
	cfg := runflags.Config{Timeout: limit}
	ctx, end := cfg.Begin(c.Context, r.watcher(), r.Name)
	defer end()
	cfg.Doing("the program without Fagus has not ended")
	if r.process && c.Bool(jsonFlag) {
		os.Stdout = os.Stderr // the document is then alone on standard output
	}
	d, err := r.timePlain(ctx)
	switch {
	case err != nil:
		return err
	case c.Bool(jsonFlag):
		e := json.NewEncoder(r.stdout)
		e.SetIndent("", "  ")
		return e.Encode(d)
	case c.Bool(quietFlag):
		return nil
	}
	text := fmt.Sprintf("\n%s without Fagus, in one goroutine: %v", d.Program, dimmnet.Time(d.TimeNs["total"])*dimmnet.Nanosecond)
	if d.MeasuredNs > 0 {
		text += fmt.Sprintf(", of which %v are measured", dimmnet.Time(d.MeasuredNs)*dimmnet.Nanosecond)
	}
	_, err = fmt.Fprintln(r.stdout, text)
	return err
}

// timePlain runs App.Plain. After the end of ctx it returns, though the program runs on.
func (r *runner) timePlain(ctx context.Context) (*plainDocument, error) {
	d := &plainDocument{Schema: plainSchema, Program: r.Name, Clock: string(dimmnet.Wall)}
	done := make(chan error, 1)
	var measured, total int64
	go func() {
		began := time.Now()
		err := r.Plain(func(section func() error) error {
			begun := time.Now()
			err := section()
			measured += time.Since(begun).Nanoseconds()
			return err
		})
		total = time.Since(began).Nanoseconds()
		done <- err
	}()
	select {
	case err := <-done:
		d.MeasuredNs, d.TimeNs = measured, map[string]int64{"total": total}
		return d, err
	case <-ctx.Done():
		return nil, fmt.Errorf("%s without Fagus: %w", r.Name, context.Cause(ctx))
	}
}
