package experiment

import (
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
	path, err := f.path()
	if err != nil {
		return nil, err
	}
	one := process{path: path, schema: runSchema, argv: slices.Concat([]string{"fagus", "run"}, args, []string{"--json"})}
	check := func(d *Document) error { return checkTimes(d.TimeNs) }
	if slices.Contains(args, "--plain") {
		one.schema, check = plainSchema, func(*Document) error { return nil }
	}
	return one.result(ctx, check, true)
}

func (f Fagus) path() (string, error) {
	if f.Path != "" {
		return f.Path, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("no path of this command, to start it again: %w", err)
	}
	return self, nil
}

// TimedOut reports whether an error says that a run has ended by its own limit of time.
func TimedOut(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == runflags.ExitTimeout
}
