// Command fagus runs programs on Fagus, a distributed shared memory.
//
//	fagus run matmul --n 512 --nodes 2
//
// Results go to standard output, progress and errors to standard error. Exit
// codes: 0 ok, 1 the run or its verification failed, 2 usage, 3 environment,
// 124 timeout, 130 interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
)

// Exit codes.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitEnvironment = 3
	exitTimeout     = 124
	exitInterrupted = 130
)

// usageError is a mistake in the call.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

func main() { os.Exit(run(os.Args, os.Stdout, os.Stderr)) }

// run is the whole command; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	out := &checkedWriter{to: stdout}
	err := newApp(out, stderr).RunContext(ctx, args)
	if err == nil {
		err = out.err
	}
	if err == nil {
		return 0
	}
	if told := (*rankError)(nil); errors.As(err, &told) {
		if told.silent() {
			fmt.Fprintln(stderr, "fagus:", told)
		}
		return told.Code
	}
	fmt.Fprintln(stderr, "fagus:", strings.TrimPrefix(err.Error(), "fagus: "))
	return exitCode(ctx, err)
}

// exitCode is what err means. An error of the operating system (a file or program that
// is missing, a full disk, no memory) is one of the surroundings.
func exitCode(ctx context.Context, err error) int {
	var usage *usageError
	var errno syscall.Errno
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, context.DeadlineExceeded):
		return exitTimeout
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &errno), errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return exitEnvironment
	}
	return exitFailed
}

// checkedWriter remembers the first error: the printer of help texts drops it.
type checkedWriter struct {
	to  io.Writer
	err error
}

// Write writes to what is below.
func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

func newApp(stdout, stderr io.Writer) *cli.App {
	usage := func(c *cli.Context, err error, _ bool) error {
		return usagef("%w; see '%s --help'", err, c.Command.HelpName)
	}
	return &cli.App{
		Name:            "fagus",
		Usage:           "run programs on a distributed shared memory with entry consistency",
		UsageText:       "fagus run matmul --n 512 --nodes 2\nfagus run matmul --a a.mtx --b b.npy --out c.mtx --net inproc\nfagus run matmul --json | jq .messages\nfagus run tsp --instance burma14\nfagus sweep variables\nfagus compare matmul --out report\nfagus reproduce\nfagus swarm\nfagus launch -n 4 -- ./app",
		HideHelpCommand: true,
		Version:         buildVersion(),
		Writer:          stdout,
		ErrWriter:       stderr,
		OnUsageError:    usage,
		ExitErrHandler:  func(*cli.Context, error) {}, // run decides
		Action:          group("command", "fagus"),
		Commands: []*cli.Command{
			{
				Name:            "run",
				Usage:           "run a program and report time, messages and verification",
				UsageText:       "fagus run PROGRAM [flags]",
				HideHelpCommand: true,
				OnUsageError:    usage,
				Action:          group("program", "fagus run"),
				Subcommands: append([]*cli.Command{matmulCommand(usage), manyCommand(usage), workqueueCommand(usage), tspCommand(usage), sorCommand(usage), radixCommand(usage), luCommand(usage)},
					slices.Concat(dsmCommands(usage), everydayCommands(usage), benchmarkCommands(usage), kernelCommands(usage))...),
			},
			appsCommand(usage),
			reproduceCommand(usage),
			sweepCommand(usage),
			compareCommand(usage),
			anatomyCommand(usage),
			swarmCommand(usage),
			benchCommand(usage),
			resultsCommand(usage),
			launchCommand(usage),
			agentCommand(usage),
			identityCommand(usage),
			doctorCommand(usage),
			{
				Name:            "version",
				Usage:           "print the version",
				HideHelpCommand: true,
				OnUsageError:    usage,
				Action: func(c *cli.Context) error {
					if c.Args().Present() {
						return usagef("unexpected argument %q", c.Args().First())
					}
					_, err := fmt.Fprintln(c.App.Writer, "fagus", buildVersion())
					return err
				},
			},
		},
	}
}

// group is the action of a command that only has subcommands: help, or an
// error that names what it does not know.
func group(what, path string) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Args().Present() {
			return usagef("no %s %q; see '%s --help'", what, c.Args().First(), path)
		}
		if path != "fagus" {
			return cli.ShowSubcommandHelp(c)
		}
		return cli.ShowAppHelp(c)
	}
}

// buildVersion is what the Go tool knows of the build.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v += " " + s.Value
		}
	}
	return v + " " + info.GoVersion
}
