package program

import (
	"flag"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// usageText is what the help text shows below USAGE.
func (r *runner) usageText() string {
	line := r.Name + " [flags]"
	if r.Args != "" {
		line += " " + r.Args
	}
	examples := r.Examples
	if examples == nil {
		for _, e := range [][2]string{
			{"--nodes 4", "goroutines of this process"},
			{"--net shm --nodes 4 --mode threaded", "processes of this host"},
			{"--net dimmnet1 --nodes 4", "a simulated network, in virtual time"},
			{"--check", "find accesses to data that are not held"},
			{"--timeline run.svg", "draw what every rank does when"},
		} {
			examples = append(examples, fmt.Sprintf("%-37s %s", e[0], e[1]))
		}
		examples = append(examples, fmt.Sprintf("fagus launch -n 4 -- ./%[1]s", r.Name), fmt.Sprintf("mpirun -n 4 ./%s", r.Name))
	}
	var lines []string
	for _, e := range examples {
		if !strings.Contains(e, r.Name) {
			e = r.Name + " " + e
		}
		lines = append(lines, e)
	}
	return line + "\n\n" + strings.Join(lines, "\n")
}

// ownFlags returns the program's own flags as the help text shows them.
func (r *runner) ownFlags() (flags []cli.Flag) {
	r.Flags.VisitAll(func(f *flag.Flag) {
		switch {
		case strings.HasPrefix(f.Name, "test."): // of a test binary
		case isBool(f.Value):
			flags = append(flags, &cli.BoolFlag{Name: f.Name, Usage: f.Usage})
		default:
			flags = append(flags, &cli.StringFlag{Name: f.Name, Usage: f.Usage, DefaultText: f.DefValue})
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
