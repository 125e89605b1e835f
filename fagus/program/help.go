package program

import (
	"flag"
	"strings"

	"github.com/fagus-dsm/fagus/fagus/program/cli"
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
	return line + "\n\n" + cli.Examples(examples)
}

// showHelp prints the help text, with the program's own flags in front.
func (r *runner) showHelp(set *flag.FlagSet) error {
	h := cli.Help{Name: r.Name, About: r.About, Usage: r.usageText(), Flags: set, Declared: standard(),
		Hidden: func(name string) bool { return strings.HasPrefix(name, "test.") }, // of tests
	}
	return h.Print(r.stdout)
}
