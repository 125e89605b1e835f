package runflags

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
)

// App is a program that runs as its command line says: one of fagus run, or one that uses package
// program. Its functions are called in the order of the fields. Only Plain and Open may be
// nil.
type App struct {
	Name  string    // of the command or program, for messages
	Watch io.Writer // Config.Begin reports here that it ends the process; nil: it may not end it
	Args  []string  // the command line, without the executable: for --repeat
	// Check is called before ranks start, also in a process that starts them.
	Check func() error
	// Plain reports whether the program has a version without Fagus (PlainFlag); nil: it has none.
	Plain func() bool
	// Launch starts the ranks as processes, with the same command line.
	Launch func(c *cli.Context, cfg Config) error
	// Open is called when the ranks have met, in every process that has some.
	Open func(ctx context.Context, on *Target) error
	// Begin returns where roll-calls are printed while the ranks run, and what ends that.
	Begin func(on *Target) (rolls io.Writer, end func())
	// Run is the program of one rank.
	Run func(n *fagus.Node) error
	// Report is called after a run without an error, in the process of rank 0.
	Report func(on *Target, report fagus.Report) error
}

// Execute runs the program as cfg, the configuration of the command line c, says: it starts the
// ranks as processes, stands by, or runs the ranks that are in this process.
func (a *App) Execute(c *cli.Context, cfg Config) (err error) {
	ctx, end := cfg.Begin(c.Context, a.Watch, a.Name)
	defer end()
	if err := a.Check(); err != nil {
		return err
	}
	if cfg.repeating.runs > 0 {
		end() // the runs may take longer to end
		return a.repeats(c, &cfg)
	}
	if cfg.Launches() {
		end() // ranks may take longer to end
		return a.Launch(c, cfg)
	}
	if idle, err := cfg.standBy(); idle || err != nil {
		return err
	}
	begun := answerEarly(c.App.ErrWriter)
	defer begun()
	unserved, err := cfg.serveMetrics(c.App.ErrWriter)
	if err != nil {
		return err
	}
	defer unserved()
	profiling, err := cfg.startProfiles()
	if err != nil {
		return err
	}
	defer cfg.sayProfiles(c.App.ErrWriter)
	defer func() { err = errors.Join(err, profiling.finish()) }()
	on, err := cfg.Open(ctx)
	if err == nil && a.Open != nil {
		err = a.Open(ctx, on)
	}
	if err != nil {
		return err
	}
	if text := cfg.Crowded(); text != "" {
		fmt.Fprintln(c.App.ErrWriter, text)
	}
	rolls, ended := a.Begin(on)
	rolls, shown := on.showProgress(rolls)
	stop := on.callRolls(rolls)
	begun()
	report, err := on.Run(ctx, a.Run)
	on.reportStuck(err, report.Roll)
	stop()
	shown()
	ended()
	if err == nil {
		err = errors.Join(profiling.finish(), profiling.bring(ctx, on))
	}
	if cfg.replayed != nil {
		return err // the results of one rank are no report
	}
	on.reportRecord(c.App.ErrWriter)
	if err != nil {
		return errors.Join(err, on.writeTrace(err, c.App.ErrWriter))
	}
	if err := on.Close(ctx); err != nil || on.Rank() != 0 {
		return err
	}
	on.Doing("writing the results has not ended")
	return errors.Join(a.Report(on, report), on.writeTrace(nil, c.App.ErrWriter))
}
