package program

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// schema identifies the document that --json prints. docs/reference/json.md describes it.
const schema = "fagus.program/v1"

// errHelped says that the help text is printed.
var errHelped = errors.New("the help text is printed")

const (
	outputCategory = "output"
	jsonFlag       = "json"
	quietFlag      = "quiet"
	timelineFlag   = "timeline"
)

// standard returns the flags that every program has.
func standard() []cli.Flag {
	return append([]cli.Flag{
		&cli.BoolFlag{Name: jsonFlag, Category: outputCategory, Usage: "print the report as one JSON document, schema " + schema + "; the program's own output then goes to standard error"},
		&cli.BoolFlag{Name: quietFlag, Category: outputCategory, Usage: "print no report"},
		&cli.StringFlag{Name: timelineFlag, Category: outputCategory, Usage: "write what every rank does when to `FILE`: a picture (.svg), or a document of schema " + runflags.TimelineSchema + " (.json)"},
	}, runflags.OwnFlags()...)
}

// parse parses the standard flags, the program's own flags, and arguments. After --help it returns
// errHelped.
func (r *runner) parse(ctx context.Context, args []string) (*cli.Context, error) {
	set := flag.NewFlagSet(r.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	flags := standard()
	if r.Plain != nil {
		flags = append(flags, plainFlag())
	}
	taken := []string{"help", "h"}
	for _, f := range flags {
		f.Apply(set)
		taken = append(taken, f.Names()...)
	}
	cli.Numbers(set)
	var clash error
	r.Flags.VisitAll(func(f *flag.Flag) {
		if slices.Contains(taken, f.Name) {
			clash = errors.Join(clash, usage.Errorf("the program's own flag --%s has the name of a standard flag: rename it", f.Name))
			return
		}
		set.Var(relay{f.Value, f.Name, r.Flags}, f.Name, f.Usage)
	})
	c := &cli.Context{Values: cli.Set{Of: set}, Context: ctx, App: &cli.App{Name: r.Name, Writer: r.stdout, ErrWriter: r.stderr,
		Metadata: map[string]any{runflags.DriversKey: r.Drivers}}}
	if clash != nil {
		return c, clash
	}
	rest, err := parseMixed(set, args)
	if err != nil {
		return c, r.explain(set, err)
	}
	if r.Args == "" && len(rest) > 0 {
		return c, usage.Errorf("unexpected argument %q; see '%s --help'", rest[0], r.Name)
	}
	return c, r.Flags.Parse(append([]string{"--"}, rest...))
}

// parseMixed parses flags that may come before, between and after arguments, and returns the
// arguments. After "--" nothing is a flag.
func parseMixed(set *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		left := set.Args()
		parsed := args[:len(args)-len(left)]
		if len(left) == 0 || len(parsed) > 0 && parsed[len(parsed)-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// explain says what is wrong with a flag, for an error of package flag.
func (r *runner) explain(set *flag.FlagSet, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return cmp.Or(r.showHelp(set), errHelped)
	}
	if _, name, ok := strings.Cut(err.Error(), "not defined: -"); ok {
		return r.noFlag(set, strings.TrimLeft(name, "-"))
	}
	return usage.Errorf("%w; see '%s --help'", cli.ExplainSet(err, set), r.Name)
}

// noFlag returns the error for an unknown flag, with the one that is likely meant.
func (r *runner) noFlag(set *flag.FlagSet, name string) error {
	var names []string
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	hint := "see"
	if near := cli.LikelyFlag(name, names); near != "" {
		hint = "did you mean --" + near + "? See"
	}
	return usage.Errorf("no flag %s; %s '%s --help'", cli.Dashed(name), hint, r.Name)
}

// input returns a text for each flag and argument that must be the same in a run that resumes.
func (r *runner) input() (all []string) {
	r.Flags.VisitAll(func(f *flag.Flag) {
		if !slices.Contains(r.Vary, f.Name) && !strings.HasPrefix(f.Name, "test.") {
			all = append(all, fmt.Sprintf("--%s=%v", f.Name, f.Value))
		}
	})
	for i, arg := range r.Flags.Args() {
		all = append(all, fmt.Sprintf("argument %d: %q", i+1, arg))
	}
	return all
}

// relay is a flag of the program in the set of all flags. It sets the flag in the program's own
// set, so that the program can ask which flags are set.
type relay struct {
	flag.Value
	name string
	own  *flag.FlagSet
}

// Set implements flag.Value.
func (v relay) Set(text string) error {
	text, err := cli.Plain(v.Value, text)
	if err != nil {
		return err
	}
	return v.own.Set(v.name, text)
}

// Get implements flag.Getter.
func (v relay) Get() any { return cli.Kind(v.Value) }

// IsBoolFlag reports whether the flag needs no value.
func (v relay) IsBoolFlag() bool { return isBool(v.Value) }

func isBool(v flag.Value) bool {
	b, ok := v.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
