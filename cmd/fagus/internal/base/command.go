package base

import (
	"slices"

	"github.com/urfave/cli/v2"

	numbers "github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// OutputCategory is the heading, in help texts, of the flags that select the output.
const OutputCategory = "output"

// Complete sets the properties that all commands and subcommands share, and returns the commands.
func Complete(commands ...*cli.Command) []*cli.Command {
	for _, c := range commands {
		c.HideHelpCommand = true
		c.OnUsageError = OnUsageError
		c.UsageText = cmdline.Align(c.UsageText)
		for _, f := range c.Flags {
			if b, ok := f.(*cli.BoolFlag); ok && !b.Value {
				b.DisableDefaultText = true // a flag that is not given is off
			}
		}
		Complete(c.Subcommands...)
	}
	return commands
}

// OnUsageError returns err, a mistake in the flags of a command, with a hint at its help text.
func OnUsageError(c *cli.Context, err error, _ bool) error {
	return usage.Errorf("%w; see '%s --help'", cmdline.Explain(c.Command, err), c.Command.HelpName)
}

// NoArgs returns action for a command without arguments: any argument is an error.
func NoArgs(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.Args().Present() {
			return usage.Errorf("unexpected argument %q; see '%s --help'", c.Args().First(), c.Command.HelpName)
		}
		return action(c)
	}
}

// JSONFlag returns the flag --json of a command whose JSON document has the given schema.
func JSONFlag(schema string) cli.Flag {
	return &cli.BoolFlag{Name: "json", Category: OutputCategory, Usage: "print one JSON document, schema " + schema}
}

// Counts reads the comma-separated numbers of a flag, and sorts them.
func Counts(c *cli.Context, flag string) (counts []int, err error) {
	if counts, err = numbers.Ints(c.String(flag)); err != nil {
		return nil, usage.Errorf("--%s %q: want numbers with commas between", flag, c.String(flag))
	}
	slices.Sort(counts)
	return slices.Compact(counts), nil
}

// Map returns what of returns for each item.
func Map[T, U any](items []T, of func(T) U) (list []U) {
	for _, item := range items {
		list = append(list, of(item))
	}
	return list
}

// Union returns list with those of more that it lacks, behind the others.
func Union[T comparable](list []T, more ...T) []T {
	for _, item := range more {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// CheckRounds returns an error if a measurement cannot use the values of --rounds and --seed.
func CheckRounds(rounds int, seed uint64) error {
	if rounds < 1 {
		return usage.Errorf("--rounds %d: want at least 1", rounds)
	}
	if seed == 0 {
		return usage.Errorf("--seed 0: want at least 1, to draw the phases of polls from")
	}
	return nil
}
