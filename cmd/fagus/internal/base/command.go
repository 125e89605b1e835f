package base

import (
	"github.com/urfave/cli/v2"

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
