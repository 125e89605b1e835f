package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Fagus is a command fagus.
type Fagus struct {
	Path  string        // "": the command that runs now
	Limit time.Duration // of one run, by its --timeout; 0: none
}

// Run executes fagus run with some arguments, and reads its document; with --plain that says
// little. Fault says what an error is.
func (f Fagus) Run(ctx context.Context, args ...string) (*Run, error) {
	schema, check := runSchema, func(d *Document) error { return checkTimes(d.TimeNs) }
	if slices.Contains(args, "--plain") {
		schema, check = plainSchema, func(*Document) error { return nil }
	}
	if f.Limit > 0 {
		args = append(slices.Clone(args), "--timeout", f.Limit.String())
	}
	one, err := f.process(schema, append([]string{"run"}, args...)...)
	if err != nil {
		return nil, err
	}
	return one.result(ctx, check, true)
}

// Output executes fagus with some arguments and --json, and returns its standard output.
func (f Fagus) Output(ctx context.Context, args ...string) ([]byte, error) {
	one, err := f.process("", args...)
	if err != nil {
		return nil, err
	}
	err = one.run(ctx)
	return one.out.head, err
}

// Command returns fagus with some arguments as a command to start, for campaigns that strike it.
// Its processes have mark in their environment (Processes).
func (f Fagus) Command(ctx context.Context, mark string, args ...string) (*exec.Cmd, error) {
	path, err := f.path()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = environ(mark)
	return cmd, err
}

func (f Fagus) process(schema string, args ...string) (*process, error) {
	path, err := f.path()
	return &process{path: path, schema: schema, argv: slices.Concat([]string{"fagus"}, args, []string{"--json"})}, err
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

// The faults that are not mistakes of a program.
const (
	Refused = "refused" // its flags are wrong, such as the number of nodes
	Late    = "late"    // it has not ended within Fagus.Limit
)

// Fault returns why Fagus.Run has no result: Refused, Late, or what else err says. over is the
// error of a study that cannot go on: ctx has ended, or the command cannot be started.
func Fault(ctx context.Context, err error) (fault string, over error) {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission): // of the command
		return "", err
	case usage.Is(err):
		return Refused, nil
	case errors.As(err, &exit) && exit.ExitCode() == runflags.ExitTimeout:
		return Late, nil
	}
	return err.Error(), nil
}
