package cmdline

import (
	"flag"
	"fmt"
	"strings"

	library "github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/program/cli"
)

// Flags returns flags as urfave/cli has them.
func Flags(of ...cli.Flag) (all []library.Flag) {
	for _, f := range of {
		all = append(all, Flag(f))
	}
	return all
}

// Flag returns a flag as urfave/cli has it.
func Flag(of cli.Flag) library.Flag {
	switch f := of.(type) {
	case *cli.BoolFlag:
		return &library.BoolFlag{Name: f.Name, Category: f.Category, Usage: f.Usage, DefaultText: f.DefaultText, Value: f.Value}
	case *cli.IntFlag:
		return &library.IntFlag{Name: f.Name, Category: f.Category, Usage: f.Usage, DefaultText: f.DefaultText, Value: f.Value}
	case *cli.Uint64Flag:
		return &library.Uint64Flag{Name: f.Name, Category: f.Category, Usage: f.Usage, DefaultText: f.DefaultText, Value: f.Value}
	case *cli.Float64Flag:
		return &library.Float64Flag{Name: f.Name, Category: f.Category, Usage: f.Usage, DefaultText: f.DefaultText, Value: f.Value}
	case *cli.DurationFlag:
		return &library.DurationFlag{Name: f.Name, Category: f.Category, Usage: f.Usage, DefaultText: f.DefaultText, Value: f.Value}
	case *cli.StringFlag:
		return &library.StringFlag{Name: f.Name, Category: f.Category, Usage: f.Usage, DefaultText: f.DefaultText, Value: f.Value}
	}
	panic(fmt.Sprintf("cmdline: a flag of type %T", of))
}

// Line returns the command line that urfave/cli has parsed.
func Line(c *library.Context) *cli.Context {
	return &cli.Context{Values: c, Context: c.Context, App: &cli.App{
		Name: c.App.Name, Writer: c.App.Writer, ErrWriter: c.App.ErrWriter, Metadata: c.App.Metadata,
	}}
}

// plain makes the value of a flag of c plain. The error is one of package flag.
func (f *flagWords) plain(c *library.Command) error {
	name, text, inline := strings.Cut(f.words[0], "=")
	switch {
	case len(f.words) == 2:
		text = f.words[1]
	case !inline:
		return nil
	}
	set := flag.NewFlagSet("", flag.ContinueOnError)
	if err := find(c.Flags, f.name).Apply(set); err != nil {
		return err
	}
	value, err := Plain(set.Lookup(f.name).Value, text)
	if err != nil {
		return fmt.Errorf("invalid value %q for flag -%s: %w", text, f.name, err)
	}
	if len(f.words) == 2 {
		f.words = []string{f.words[0], value}
	} else {
		f.words = []string{name + "=" + value}
	}
	return nil
}

// Plain is cli.Plain, for lists of whole numbers, too.
func Plain(v flag.Value, text string) (string, error) {
	if _, list := cli.Kind(v).(library.IntSlice); !list {
		return cli.Plain(v, text)
	}
	all, err := cli.Ints(text)
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(all)), ","), "[]"), err
}
