package runflags

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/repeat"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

const (
	repeatFlag  = "repeat"
	speedupFlag = "speedup"
	// PlainFlag is the flag with which a program runs without Fagus.
	PlainFlag = "plain"

	usualRuns = 5
	mostRuns  = 1000
)

func repeatFlags(category string) []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: repeatFlag, Category: category, DefaultText: "1; 5 with --speedup", Usage: "run the program `N` times, for example --repeat 7, and print the median, the least and the largest of its times: of the section that it measures, or of the whole"},
		&cli.BoolFlag{Name: speedupFlag, Category: category, Usage: "compare --nodes ranks with one rank, and with the program without Fagus if it has that (--plain): medians of runs that take turns, for example --speedup --nodes 4"},
	}
}

// repeating says how often the program is run, in which versions.
type repeating struct {
	runs    int // 0: this process runs the program once
	speedup bool
}

func (cfg *Config) readRepeat(c *cli.Context) error {
	cfg.repeating = repeating{c.Int(repeatFlag), c.Bool(speedupFlag)}
	r := &cfg.repeating
	switch {
	case c.IsSet(repeatFlag) && (r.runs < 1 || r.runs > mostRuns):
		return usage.Errorf("--%s %d: want 1 to %d", repeatFlag, r.runs, mostRuns)
	case r.speedup && r.runs == 0:
		r.runs = usualRuns
	case r.runs == 0:
		return nil
	}
	for _, flag := range ofOneRun() {
		if c.IsSet(flag) {
			return usage.Errorf("--%s is of one run: use it without --%s and --%s", flag, repeatFlag, speedupFlag)
		}
	}
	return nil
}

// ofOneRun returns the flags that make no sense if there are several runs: what they write is of
// one run, or they change the times that are compared.
func ofOneRun() []string {
	return []string{
		traceFlag, recordFlag, "timeline", metricsName, cpuProfileFlag, memProfileFlag, goTraceFlag, "out", PlainFlag,
		"checkpoint", "restart", "grace", "check", "strict", "verify-history", "verbose",
	}
}

// checkRepeat is called when the configuration is known.
func (cfg *Config) checkRepeat() error {
	switch {
	case cfg.repeating.runs == 0:
		return nil
	case cfg.place != nil:
		return usage.Errorf("--%s and --%s start the program by themselves, and this process is rank %d of %d, according to %s: use --nodes instead of a launcher", repeatFlag, speedupFlag, cfg.place.Rank, cfg.place.Size, cfg.place.Source)
	case cfg.repeating.speedup && cfg.Nodes == 1:
		return usage.Errorf("--%s compares one rank with several: use it with --nodes 2 or more", speedupFlag)
	}
	return nil
}

// repeats runs the program again and again, and prints the times.
func (a *App) repeats(c *cli.Context, cfg *Config) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := &repeat.Plan{Program: a.Name, Where: cfg.String(), Runs: cfg.repeating.runs, Self: self}
	if cfg.Program != "" {
		p.Program = cfg.Program
	}
	p.Versions = a.versions(c, cfg)
	ctx, cancel := WithTimeout(c.Context, cfg.Timeout)
	defer cancel()
	all := int64(p.Runs * len(p.Versions))
	done := func(int) {}
	if cfg.progress.every > 0 {
		// Progress of runs, which is none of ranks.
		d := cfg.progress.display(c.App.ErrWriter, p.Program+": runs")
		defer d.end()
		show := throttled(cfg.progress.every, d.show)
		done = func(runs int) {
			show(rollcall.Progress{Nodes: 1, Ranks: 1, Done: int64(runs), Of: all, SlowestDone: int64(runs), SlowestOf: all})
		}
	}
	err = p.Run(ctx, done)
	if failed := (*repeat.ExitError)(nil); errors.As(err, &failed) && failed.Code == ExitUsage {
		return usage.Wrap(err)
	}
	if err != nil {
		return err
	}
	if c.Bool("json") {
		e := json.NewEncoder(c.App.Writer)
		e.SetIndent("", "  ")
		return e.Encode(p)
	}
	_, err = fmt.Fprint(c.App.Writer, p)
	if err == nil && cfg.repeating.speedup && cfg.Network.Simulated && a.hasPlain() {
		_, err = fmt.Fprintln(c.App.Writer, "\nThe program without Fagus is left out: its time is of this machine, and the others are virtual.")
	}
	return err
}

func (a *App) hasPlain() bool { return a.Plain != nil && a.Plain() }

// versions returns the versions of the program that are compared.
func (a *App) versions(c *cli.Context, cfg *Config) []repeat.Version {
	own := func(name string) bool {
		return slices.Contains([]string{repeatFlag, speedupFlag, progressName, "json", "quiet"}, name)
	}
	common := []string{"--json", "--" + progressName + "=0"}
	parallel := repeat.Version{Name: repeat.Parallel, Nodes: cfg.Nodes, Args: with(without(c, a.Args, own), common...)}
	if !cfg.repeating.speedup {
		return []repeat.Version{parallel}
	}
	one := repeat.Version{Name: repeat.Single, Nodes: 1}
	one.Args = with(without(c, a.Args, func(name string) bool { return own(name) || name == nodesFlag }), append(common, "--"+nodesFlag+"=1")...)
	all := []repeat.Version{one, parallel}
	if a.hasPlain() && !cfg.Network.Simulated {
		runs := flagNames(flags(defaults{}))
		plain := repeat.Version{Name: repeat.Sequential, Nodes: 1}
		plain.Args = with(without(c, a.Args, func(name string) bool {
			return own(name) || name != "seed" && name != "timeout" && slices.Contains(runs, name)
		}), "--json", "--"+PlainFlag)
		all = append([]repeat.Version{plain}, all...)
	}
	return all
}

func flagNames(flags []cli.Flag) (names []string) {
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	return names
}

// without returns the words of a command line without some flags and their values.
func without(c *cli.Context, args []string, drop func(name string) bool) (rest []string) {
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			return append(rest, args[i:]...)
		}
		name, _, valued := strings.Cut(strings.TrimLeft(word, "-"), "=")
		flag := strings.HasPrefix(word, "-") && name != ""
		if end := i + 1; flag && !valued && end < len(args) && takesValue(c, name) {
			if i = end; !drop(name) {
				rest = append(rest, word, args[end])
			}
			continue
		}
		if !flag || !drop(name) {
			rest = append(rest, word)
		}
	}
	return rest
}

// takesValue reports whether the value of a flag may be the word that follows.
func takesValue(c *cli.Context, name string) bool {
	switch c.Value(name).(type) {
	case nil, bool:
		return false
	}
	return true
}

// with returns the words of a command line with flags, before what follows "--".
func with(args []string, flags ...string) []string {
	at := slices.Index(args, "--")
	if at < 0 {
		at = len(args)
	}
	return slices.Concat(args[:at], flags, args[at:])
}
