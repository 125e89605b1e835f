package program

import (
	"flag"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
)

// usageText is what the help text shows below USAGE.
func (r *runner) usageText() string {
	line := r.Name + " [flags]"
	if r.Args != "" {
		line += " " + r.Args
	}
	examples := r.Examples
	if examples == nil {
		examples = []string{
			"./" + r.Name + " --nodes 4  goroutines of this process",
			"./" + r.Name + " --net shm --nodes 4 --mode threaded  processes of this host",
			"./" + r.Name + " --net dimmnet1 --nodes 4  a simulated network, in virtual time",
			"./" + r.Name + " --check  find accesses to data that are not held",
			"./" + r.Name + " --timeline run.svg  draw what every rank does when",
			"fagus launch -n 4 -- ./" + r.Name + "  as ranks of a launcher, such as mpirun",
		}
	}
	return cmdline.Align(line + "\n\n" + strings.Join(examples, "\n"))
}

// ownFlags returns the program's own flags as the help text shows them.
func (r *runner) ownFlags() (flags []cli.Flag) {
	r.Flags.VisitAll(func(f *flag.Flag) {
		switch {
		case strings.HasPrefix(f.Name, "test."): // of a test binary
		case isBool(f.Value):
			flags = append(flags, &cli.BoolFlag{Name: f.Name, Usage: f.Usage})
		default:
			flags = append(flags, cmdline.FlagLike(f))
		}
	})
	return flags
}

// showHelp prints the help text.
func showHelp(c *cli.Context) error {
	c.App.Setup()
	c.App.CustomAppHelpTemplate = strings.Replace(cli.AppHelpTemplate, "GLOBAL OPTIONS:", "FLAGS:", 1)
	return cli.ShowAppHelp(c)
}
