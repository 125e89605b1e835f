package newprogram

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/examples"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// list prints the names of the examples, and what they do.
func list(c *cli.Context) error {
	if c.NArg() > 0 || c.IsSet("example") {
		return usage.Errorf("--list writes no program: leave out the folder and --example")
	}
	all, err := examples.All()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	for _, e := range all {
		fmt.Fprintf(w, "%s\t%s\n", e.Name, e.About)
	}
	return w.Flush()
}

// example returns the example with a name.
func example(name string) (*examples.Example, error) {
	all, err := examples.All()
	if err != nil {
		return nil, err
	}
	var names []string
	for i, e := range all {
		if e.Name == name {
			return &all[i], nil
		}
		names = append(names, e.Name)
	}
	return nil, usage.Errorf("no example is called %q: want one of %s (fagus new --list)", name, strings.Join(names, ", "))
}
