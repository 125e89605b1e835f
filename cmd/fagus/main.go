// Command fagus runs programs on Fagus, a distributed shared memory.
//
//	fagus run matmul --n 512 --nodes 2
//
// Results go to standard output, progress and errors to standard error. Exit codes: 0 ok, 1 the
// run or its verification failed, 2 usage, 3 environment, 124 timeout, 130 interrupted.
//
// A command group is a package below internal. This package lists the groups, and turns signals
// and errors into the exit code.
package main

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/about"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/checkpoints"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/compare"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/data"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/doctor"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/identity"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/lab"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/launch"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/newprogram"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/replay"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/report"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/run"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/top"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/travel"
	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/fagus/checkpoint/s3"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/gossip"
	ranks "github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func main() { os.Exit(execute(os.Args, os.Stdout, os.Stderr)) }

func execute(args []string, stdout, stderr io.Writer) int {
	ctx, stop := ranks.NotifyContext(context.Background())
	defer stop()
	ctx, outlet, errs := ranks.Outlets(ctx, stdout, stderr)
	out := &checkedWriter{to: outlet}
	app := newApp(out, errs)
	words, err := tree(app).Arrange(args[1:])
	if err == nil {
		err = app.RunContext(ctx, append(args[:1:1], words...))
	}
	if err == nil {
		err = out.err
	}
	return runflags.Conclude(ctx, err, errs, "fagus")
}

// checkedWriter keeps the first error of its writer, because the library's help printer drops it.
type checkedWriter struct {
	to  io.Writer
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// tree returns the commands of app. The words behind the name of a program that `fagus launch`
// starts are that program's.
func tree(app *cli.App) *cmdline.Tree { return cmdline.New(app, "launch") }

func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:  "fagus",
		Usage: "run programs on a distributed shared memory with entry consistency",
		UsageText: cmdline.Align("fagus COMMAND [flags]\n\n" +
			"fagus run matmul --n 512 --nodes 2        a program on two simulated nodes, verified\n" +
			"fagus run matmul --net shm --nodes 2      on two processes of this host\n" +
			"fagus new life                            a program of your own\n" +
			"fagus launch -n 4 -- ./app                four processes of it\n" +
			"fagus apps                                all programs\n" +
			"fagus report sor.trace                    why a run with --trace was slow\n" +
			"fagus compare matmul --out report         all versions of Fagus, side by side\n" +
			"fagus doctor                              what this machine supports\n" +
			"fagus help run matmul"),
		Description:     runflags.ExitText(),
		Metadata:        map[string]any{runflags.DriversKey: []cluster.Driver{gossip.Driver{}, quic.Driver{}, s3.Driver{}}},
		HideHelpCommand: true,
		HideVersion:     true, // --version is the command version
		Flags: []cli.Flag{
			cli.HelpFlag, // the library adds it only to a command without a command help
			&cli.BoolFlag{Name: "version", Aliases: []string{"v"}, DisableDefaultText: true, Usage: "print the version, as fagus version does"},
			&cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "with --version: print one JSON document"},
		},
		Writer:         stdout,
		ErrWriter:      stderr,
		OnUsageError:   base.OnUsageError,
		ExitErrHandler: func(*cli.Context, error) {}, // execute returns the exit code
		Action: base.NoArgs(func(c *cli.Context) error {
			if !c.Bool("version") {
				return usage.Errorf("--json without a command prints the version: use it with --version")
			}
			return about.PrintVersion(c)
		}),
	}
	app.Commands = base.Complete(slices.Concat([]*cli.Command{
		run.Command(), run.Apps(), newprogram.Command(), data.Command(), compare.Command(), launch.Command(), launch.Agent(), report.Command(), top.Command(), top.Profile(), checkpoints.Command(), bench.Command(), doctor.Command(), doctor.Probe(), identity.Command(),
		lab.Command(),
	}, travel.Commands(), []*cli.Command{replay.Command()}, about.Commands(func() *cmdline.Tree { return tree(app) }))...)
	return app
}
