package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Program is a program that uses package fagus/program, or a program of fagus run, and its
// arguments.
type Program struct {
	path   string   // of the executable
	argv   []string // as the user typed them
	words  int      // how many of argv come before the flags of a run
	schema string   // of the documents that it prints
}

// Find returns the program whose name or path is the first of argv; the others are its arguments.
func Find(argv []string) (*Program, error) {
	if info, err := os.Stat(argv[0]); err == nil && info.IsDir() {
		return nil, usage.Errorf("%s is a folder: name a program, such as one that go build has made there", argv[0])
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, fmt.Errorf("no program to compare: %w", err)
	}
	return &Program{path, argv, 1, schema}, nil
}

// FindRun returns a program of fagus run with its flags, which runs as a process of its own.
func FindRun(name string, flags []string) (*Program, error) {
	path, err := Fagus{}.path()
	if err != nil {
		return nil, err
	}
	return &Program{path, slices.Concat([]string{"fagus", "run", name}, flags), 3, runSchema}, nil
}

// Run is one run of a program. As JSON it is the document that the program has printed.
type Run struct {
	Document
	Spans []fagus.Stats // what every rank did when; nil if that was not recorded
	// Released counts the packets of all ranks within Release; nil if that is unknown.
	Released *uint64
	// Lines is what the program has printed besides, on both outputs. Cut: that was too much to
	// keep, and Lines is the beginning.
	Lines []string
	Cut   bool
}

// MarshalJSON implements json.Marshaler.
func (r *Run) MarshalJSON() ([]byte, error) { return json.Marshal(r.Text) }

// Run runs the program once, as cfg says, with more flags before its arguments. It records what
// every rank does if cfg.Timeline is set and the ranks are on this host.
func (p *Program) Run(ctx context.Context, cfg runflags.Config, more []string) (*Run, error) {
	one := process{path: p.path, schema: p.schema, argv: slices.Concat(p.argv[:p.words], flagsOf(&cfg), more, p.argv[p.words:])}
	timeline := ""
	if cfg.Timeline && !slices.ContainsFunc(p.argv, hostsFlag.MatchString) {
		dir, err := os.MkdirTemp("", "fagus-compare-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		timeline = filepath.Join(dir, "timeline.json")
		one.hidden = []string{"--timeline", timeline}
	}
	r, err := one.result(ctx, func(d *Document) error { return d.check(&cfg) }, cfg.Network.Processes)
	if err != nil || timeline == "" {
		return r, err
	}
	if r.Spans, err = readTimeline(timeline, cfg.Nodes); err != nil {
		return nil, fmt.Errorf("%s: %w", CommandLine(one.argv), err)
	}
	return r, nil
}

// hostsFlag matches the flag that lets rank 0 run on another host, which writes files there.
var hostsFlag = regexp.MustCompile(`^--?hosts(=|$)`)

// flagsOf returns the flags that make a program run as cfg says.
func flagsOf(cfg *runflags.Config) []string {
	flags := []string{"--json", "--net", cfg.Network.Name, "--nodes", strconv.Itoa(cfg.Nodes), "--mode", cfg.Mode.String(), "--transfer", cfg.Transfer.String()}
	if cfg.Lists != fagus.ListsAuto {
		flags = append(flags, "--lists", cfg.Lists.String())
	}
	if cfg.Placement != fagus.PlaceAuto {
		flags = append(flags, "--placement", cfg.Placement.String())
	}
	if cfg.Helpers {
		flags = append(flags, "--helpers")
	}
	if cfg.Notices {
		flags = append(flags, "--notices")
	}
	if cfg.Direct {
		flags = append(flags, "--direct")
	}
	if cfg.Network.Simulated {
		flags = append(flags, "--env", cfg.Env)
		if cfg.HostCost != "" {
			flags = append(flags, "--host-cost", cfg.HostCost)
		}
	}
	if cfg.Seed != 0 {
		flags = append(flags, "--seed", strconv.FormatUint(cfg.Seed, 10))
	}
	if f := cfg.UDPFaults(); f != nil {
		for _, of := range []struct {
			flag string
			p    float64
		}{{"--loss", f.Loss}, {"--duplicate", f.Duplicate}, {"--reorder", f.Reorder}} {
			if of.p != 0 {
				flags = append(flags, of.flag, strconv.FormatFloat(of.p, 'g', -1, 64))
			}
		}
	}
	return flags
}

// rankBefore matches what a launcher writes before a line of a rank.
var rankBefore = regexp.MustCompile(`^\d+: `)

// linesOf returns the lines of what a program has printed, without the ranks before those of
// processes, and without documents of its progress, which differ from run to run.
func linesOf(text string, processes bool) (lines []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if processes {
			line = rankBefore.ReplaceAllString(line, "")
		}
		if !strings.HasPrefix(line, `{"schema":"`+runflags.ProgressSchema) {
			lines = append(lines, line)
		}
	}
	return lines
}

// plainWord matches the words that a shell takes as they are.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// CommandLine returns words as a shell reads them.
func CommandLine(words []string) string {
	var line []string
	for _, w := range words {
		if !plainWord.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		line = append(line, w)
	}
	return strings.Join(line, " ")
}

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
