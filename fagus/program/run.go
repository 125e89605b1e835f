package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/outfile"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// run parses the arguments and runs the program.
func (r *runner) run(ctx context.Context, args []string) error {
	if r.Run == nil {
		return errors.New("App.Run is nil: set it to the program of a rank")
	}
	c, err := r.parse(ctx, args)
	if err == errHelped {
		return nil
	}
	if err != nil {
		return err
	}
	if c.Bool(runflags.PlainFlag) {
		return r.runPlain(c)
	}
	cfg, err := runflags.OwnFromFlags(c)
	if err != nil {
		return err
	}
	if err := checkTimeline(c); err != nil {
		return err
	}
	cfg.Timeline = c.String(timelineFlag) != ""
	cfg.Program, cfg.Input = r.Name, r.input()
	app := runflags.App{
		Name: r.Name, Watch: r.watcher(), Run: r.Run, Args: args,
		Plain: func() bool { return r.Plain != nil },
		Check: func() error { return usage.Wrap(r.Check()) },
		Launch: func(c *cli.Context, cfg runflags.Config) error {
			return runflags.Launch(c, cfg, args, agentArgument, false)
		},
		Begin: func(*runflags.Target) (io.Writer, func()) {
			if r.process && c.Bool(jsonFlag) {
				os.Stdout = os.Stderr // the document is then alone on standard output
			}
			return r.stderr, func() {}
		},
		Report: func(on *runflags.Target, report fagus.Report) error { return r.report(c, on, report) },
	}
	return app.Execute(c, cfg)
}

// report writes the files of a run, and prints the report.
func (r *runner) report(c *cli.Context, on *runflags.Target, report fagus.Report) (err error) {
	d := document{schema, r.Name, on.Document(report)}
	if d.History != nil && d.History.Violation != nil {
		err = d.History.Violation
	}
	if path := c.String(timelineFlag); path != "" {
		err = errors.Join(err, runflags.WriteTimeline(path, report))
	}
	switch {
	case c.Bool(jsonFlag):
		e := json.NewEncoder(r.stdout)
		e.SetIndent("", "  ")
		return errors.Join(err, e.Encode(&d))
	case c.Bool(quietFlag):
		return err
	}
	return errors.Join(err, d.print(r.stdout, on, report))
}

// watcher returns the writer to which Config.Begin reports that it ends the process; nil: it may
// not end it.
func (r *runner) watcher() io.Writer {
	if r.process {
		return r.stderr
	}
	return nil
}

func checkTimeline(c *cli.Context) error {
	path := c.String(timelineFlag)
	if !c.IsSet(timelineFlag) {
		return nil
	}
	if err := runflags.CheckTimelineName(path); err != nil {
		return usage.Errorf("--%s %w", timelineFlag, err)
	}
	return outfile.CheckFolder(filepath.Dir(path))
}

// document is what --json prints.
type document struct {
	Schema  string `json:"schema"`
	Program string `json:"program"`
	runflags.Document
}

func (d *document) print(w io.Writer, on *runflags.Target, report fagus.Report) error {
	report.Advice = nil // printed below, with its heading
	text := fmt.Sprintf("\n%s on %v\n%v", d.Program, &on.Config, report)
	if d.History != nil && d.History.Violation == nil {
		text += fmt.Sprintln(d.History)
	}
	text += d.CheckpointLine() + d.Checked()
	if d.TraceHash != "" {
		text += "trace hash " + d.TraceHash + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
