package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/verify"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// check is a result held against something that the program did not make.
type check struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
}

// OK reports whether the result passes.
func (c check) OK() bool { return c.Value <= c.Limit }

func (c check) String() string { return fmt.Sprintf("%s is %.3g", c.Name, c.Value) }

// outcome is what a rank of a program came to. The check and the words are rank 0's.
type outcome struct {
	check check
	words string
	took  fagus.Time // in the part that the program measures
	// bits stand for the result, where they are known: equal ones are the same bit for bit.
	bits uint64
	err  error // of a program without Fagus
}

// job is a program with its input, ready to run.
type job struct {
	app  string
	n    int    // of the report: what says most about the size
	size string // in words
	// measured names the part that the program measures, if it does.
	measured string
	// unit is what progress counts, and units how many there will be; 0: not known.
	unit  string
	units int
	// open, if not nil, reads the inputs, or makes them, and completes the job.
	open   func(ctx context.Context) error
	inputs []string // files
	run    func(n *fagus.Node, progress func(int)) (outcome, error)
	// plain is the program without Fagus, in one goroutine; it verifies what it has, too.
	plain func(timed verify.Timer, progress func(int)) outcome
	// write, if not nil, writes files; it is called when the result is right.
	write func() error
}

// execute runs j where p says, and tells whether the result is right.
func (j *job) execute(ctx context.Context, p *placement, progress func(int)) (*runReport, error) {
	outcomes := make([]outcome, p.nodes)
	var began atomic.Bool
	report, err := fagus.Run(ctx, p.config(), func(n *fagus.Node) (err error) {
		began.Store(true)
		outcomes[n.Rank()], err = j.run(n, progress)
		return err
	})
	if err != nil && !began.Load() && ctx.Err() == nil && !outside(err) {
		return nil, &usageError{err} // so many nodes do not fit there
	}
	if err != nil {
		if stuck(err) && p.rolls.To != nil {
			p.rolls.To(report.Roll)
		}
		return nil, err
	}
	r := newRunReport(j.app, p, report)
	r.N, r.Size, r.measured = j.n, j.size, j.measured
	r.Check, r.Outcome, r.Bits = outcomes[0].check, outcomes[0].words, bitsText(outcomes[0].bits)
	r.Verified = r.Check.OK()
	if p.history != nil {
		r.History = &checkedHistory{p.history.Counts(), p.history.Check()}
		r.Verified = r.Verified && r.History.Violation == nil
	}
	for _, o := range outcomes {
		r.MeasuredNs = max(r.MeasuredNs, o.took.Nanoseconds())
	}
	return r, nil
}

// bitsText is empty for 0: not known.
func bitsText(bits uint64) string {
	if bits == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", bits)
}

// outside says whether err is of the operating system, or of another process.
func outside(err error) bool {
	var errno syscall.Errno
	var other *cluster.Failed
	return errors.As(err, &errno) || errors.As(err, &other)
}

// verified is execute for those who can do nothing with a wrong result.
func (j *job) verified(ctx context.Context, p *placement, progress func(int)) (*runReport, error) {
	r, err := j.execute(ctx, p, progress)
	if err == nil && !r.Verified {
		err = fmt.Errorf("verification failed on %v: %s", p, r.wrong())
	}
	return r, err
}

const outputCategory = "output"

// programCommand completes the command of a program: the flags that all have, and
// its action. prepare reads the program's own flags.
func programCommand(usage cli.OnUsageErrorFunc, command *cli.Command, prepare func(*cli.Context) (*job, error)) *cli.Command {
	command.HideHelpCommand = true
	command.OnUsageError = usage
	command.Flags = append(command.Flags,
		&cli.BoolFlag{Name: "json", Category: outputCategory, Usage: "print one JSON document, schema " + runSchema},
		&cli.BoolFlag{Name: "plain", Category: outputCategory, Usage: "run the same program without Fagus, in one goroutine: what speed-ups are against"},
		&cli.StringFlag{Name: "timeline", Category: outputCategory, Usage: "draw what every rank does when to `FILE` (.svg, .png or .pdf); simulated networks only"})
	command.Flags = append(command.Flags, placementFlags()...)
	command.Action = func(c *cli.Context) error { return runProgram(c, prepare) }
	return command
}

func runProgram(c *cli.Context, prepare func(*cli.Context) (*job, error)) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q", c.Args().First())
	}
	if c.Bool("plain") {
		return runPlain(c, prepare)
	}
	timeline := c.String("timeline")
	if err := checkWritable(c, "timeline", checkFigureName); err != nil {
		return err
	}
	p, err := place(c, timeline != "")
	if err != nil {
		return err
	}
	if timeline != "" && p.sim == nil {
		return usagef("--timeline needs the trace of a simulated network: use --net %s, %s or %s", netDIMMnet1, netDIMMnet2, netUDP100)
	}
	j, err := prepare(c)
	if err != nil && !(p.launches && elsewhere(c, err)) {
		return err
	}
	if p.launches {
		if !c.IsSet("hosts") { // on others there may be other files
			if err := checkReadable(j.inputs); err != nil {
				return err
			}
		}
		return p.launchSelf(c)
	}
	ctx, cancel := withLimit(c.Context, p.limit)
	defer cancel()
	if j.open != nil {
		if err := j.open(ctx); err != nil {
			return err
		}
	}
	units := j.units
	if p.rank != 0 { // rank 0 alone shows anything
		units = 0
	}
	bar := newProgress(c.App.ErrWriter, j.unit, units)
	stop := p.callRolls(bar.above(c.App.ErrWriter))
	r, err := j.execute(ctx, p, bar.add)
	stop()
	bar.stop()
	if err == nil {
		err = p.leave(ctx)
	}
	if err != nil || p.rank != 0 {
		return err
	}
	return finishRun(c, r, func() error {
		if j.write != nil {
			if err := j.write(); err != nil {
				return err
			}
		}
		if timeline != "" {
			return drawTimeline(timeline, p.nodes, p.trace)
		}
		return nil
	})
}

// elsewhere says whether err is of the surroundings of this process, and ranks have others.
func elsewhere(c *cli.Context, err error) bool {
	var usage *usageError
	return c.IsSet("hosts") && !errors.As(err, &usage)
}

// finishRun writes files if the result is right, prints the report, and turns a
// wrong result into an error. Files come first: whoever reads the report may
// stop reading, which ends the process.
func finishRun(c *cli.Context, r *runReport, write func() error) error {
	var err error
	if r.Verified {
		err = write()
	} else {
		err = fmt.Errorf("verification failed: %s; no file was written", r.wrong())
	}
	if c.Bool("json") {
		return errors.Join(err, printJSON(c.App.Writer, r))
	}
	return errors.Join(err, r.print(c.App.Writer))
}
