package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Command returns the command fagus run.
func Command() *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "run a program and report time, messages and verification",
		UsageText: "fagus run PROGRAM [flags]\n\n" +
			"fagus run matmul\n" +
			"fagus run matmul --json | jq .messages\n" +
			"fagus run --nodes 4 matmul --n 64      flags stand before or after the program\n" +
			"fagus help run matmul                  all flags of a program",
		ArgsUsage:   "PROGRAM",
		Subcommands: base.Map(catalog.Programs(), programCommand),
	}
}

// Apps returns the command fagus apps, which lists the programs.
func Apps() *cli.Command {
	return &cli.Command{
		Name: "apps", Usage: "list the programs that fagus run has",
		UsageText: "fagus apps [--json]\n\nfagus apps                  and how their results are verified\nfagus apps --json",
		Flags:     []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print one JSON document"}},
		Action:    base.NoArgs(listPrograms),
	}
}

func listPrograms(c *cli.Context) error {
	type program struct {
		Name     string `json:"name"`
		What     string `json:"what"`
		Verified string `json:"verified_by"`
	}
	var list []program
	t := base.NewTable(table.Row{"fagus run", "is", "verified by"})
	for _, p := range catalog.Programs() {
		list = append(list, program{p.Name, p.About, p.VerifiedBy})
		t.AppendRow(table.Row{p.Name, p.About, p.VerifiedBy})
	}
	return base.Printf(c, list, "%s\n", t.Render())
}

// programCommand returns the command that runs p. It has the flags of the program, the flags for
// output, and the flags of package runflags.
func programCommand(p catalog.Program) *cli.Command {
	flags := append(p.Flags,
		base.JSONFlag(Schema),
		&cli.BoolFlag{Name: "plain", Category: base.OutputCategory, Usage: "run the same program without Fagus, in one goroutine: the base of speed-ups"},
		&cli.StringFlag{Name: "timeline", Category: base.OutputCategory, Usage: "write what every rank does when to `FILE`: a picture (.svg), or a document of schema " + runflags.TimelineSchema + " (.json)"})
	return &cli.Command{
		Name:  p.Name,
		Usage: p.About, UsageText: p.UsageText(),
		Flags: append(flags, cmdline.Flags(runflags.Flags()...)...),
		Action: base.NoArgs(func(c *cli.Context) error {
			if c.Bool("plain") {
				return runPlain(c, p)
			}
			return runProgram(c, p)
		}),
	}
}

func prepare(c *cli.Context, p catalog.Program, nodes int) (*catalog.Job, error) {
	if p.CheckOut != nil {
		if err := base.CheckWritable(c, "out", p.CheckOut); err != nil {
			return nil, err
		}
	}
	return p.Prepare(catalog.Flags{Context: c, Nodes: nodes, Seed: c.Uint64("seed")})
}

func runProgram(c *cli.Context, p catalog.Program) error {
	picture := c.String("timeline")
	if err := base.CheckWritable(c, "timeline", runflags.CheckTimelineName); err != nil {
		return err
	}
	cfg, err := runflags.FromFlags(cmdline.Line(c))
	if err != nil {
		return err
	}
	cfg.Timeline = picture != ""
	cfg.Program, cfg.Input = p.Name, p.Input(catalog.Flags{Context: c, Seed: cfg.Seed})
	var j *catalog.Job
	var e *execution
	app := runflags.App{
		Name: "fagus", Watch: c.App.ErrWriter, Args: os.Args[1:],
		Plain:  func() bool { return j.Plain != nil },
		Check:  func() (err error) { j, err = checked(c, p, &cfg); return err },
		Launch: runflags.LaunchSelf,
		Open: func(ctx context.Context, on *runflags.Target) error {
			if j.Open == nil {
				return nil
			}
			on.Doing(readingInput)
			return j.Open(ctx)
		},
		Begin: func(on *runflags.Target) (io.Writer, func()) {
			e = newExecution(j, on, func(int) {})
			return c.App.ErrWriter, func() {}
		},
		Run: func(n *fagus.Node) error { return e.run(n) },
		Report: func(on *runflags.Target, report fagus.Report) error {
			r := e.report(report)
			if cfg.Network.Simulated && !c.IsSet("net") {
				r.hint = fmt.Sprintf("These are times of simulated nodes (--net %s is the default). With --net shm, %s runs on the processors of this machine.", cfg.Network.Name, j.App)
			}
			return finish(c, r, func() error {
				if j.Write != nil {
					if err := j.Write(); err != nil {
						return err
					}
				}
				if picture != "" {
					return runflags.WriteTimeline(picture, report)
				}
				return nil
			})
		},
	}
	return app.Execute(cmdline.Line(c), cfg)
}

// checked returns the job of a command line, if the ranks here can have its files and memory.
func checked(c *cli.Context, p catalog.Program, cfg *runflags.Config) (*catalog.Job, error) {
	j, err := prepare(c, p, cfg.Nodes)
	switch {
	case cfg.Launches() && c.IsSet("hosts") && !usage.Is(err):
		return j, nil // a file that is missing on this host may exist on the hosts of the ranks
	case err != nil:
		return nil, err
	case cfg.Launches():
		if err := base.CheckReadable(j.Inputs); err != nil { // to report it once, not per rank
			return nil, err
		}
		return j, j.CheckMemory(capacity.Host(), 1)
	}
	processes := 1
	if cfg.Network.Processes {
		processes = cfg.Nodes // others may be on this host, and may already have their part
	}
	return j, j.CheckMemory(capacity.Left(), processes)
}

// readingInput is what a run does in Job.Open.
const readingInput = "reading or generating the input has not ended"

// finish writes the output files if the result is right, prints the report, and returns an error
// if the result is wrong. It writes the files first: if the reader of the report closes the pipe
// early, printing ends the process.
func finish(c *cli.Context, r *Report, write func() error) error {
	var err error
	if r.Verified {
		err = write()
	} else {
		err = fmt.Errorf("verification failed: %s; no file was written", r.wrong())
	}
	return errors.Join(err, base.PrintText(c, r, func() string { return r.text(c.Bool("verbose")) }))
}
