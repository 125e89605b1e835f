package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

// Fagus is a command fagus.
type Fagus struct {
	Path string // "": the command that runs now
}

// Run executes fagus run with some arguments, and reads its document; with --plain that says
// little. An error is one of usage (usage.Is) if the arguments are wrong, and one of time
// (TimedOut) if the limit of --timeout has passed.
func (f Fagus) Run(ctx context.Context, args ...string) (*Run, error) {
	self, err := os.Executable()
	if err != nil && f.Path == "" {
		return nil, fmt.Errorf("no path of this command, to start it again: %w", err)
	}
	one := process{path: cmp.Or(f.Path, self), argv: slices.Concat([]string{"fagus", "run"}, args, []string{"--json"})}
	if err := one.run(ctx); err != nil {
		return nil, err
	}
	want := runSchema
	if slices.Contains(args, "--plain") {
		want = plainSchema
	}
	d, beside, err := readDocument(one.out.head, want)
	if err == nil && want == runSchema {
		err = checkTimes(d.TimeNs)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", CommandLine(one.argv), err)
	}
	return &Run{Document: *d, Lines: linesOf(beside+string(one.errs.head), true), Cut: one.errs.lost}, nil
}

// TimedOut reports whether an error says that a run has ended by its own limit of time.
func TimedOut(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == runflags.ExitTimeout
}
