package runflags

import (
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// OptionFlags returns a flag for each option of a live network.
func OptionFlags(category string) (flags []cli.Flag) {
	for _, o := range cluster.Options() {
		flags = append(flags, &cli.StringFlag{Name: o.Name, Category: category, DefaultText: o.Default, Usage: o.Usage})
	}
	return flags
}

// DriversKey is the key of cli.App.Metadata with the []cluster.Driver of the program.
const DriversKey = "drivers"

// Drivers returns what a program has of the parts that need modules of their own.
func Drivers(c *cli.Context) []cluster.Driver {
	all, _ := c.App.Metadata[DriversKey].([]cluster.Driver)
	return all
}

// ReadSpec reads the flags of OptionFlags, HostFlags and StallFlag that say how the ranks of a job
// on a network meet. A rank whose launcher has read them finds the values in its environment.
func ReadSpec(c *cli.Context, net Network) (spec cluster.Spec, err error) {
	spec.Net, spec.Drivers = net.transport, Drivers(c)
	if err := spec.CheckDrivers(strings.Contains(c.String("hosts"), ",")); err != nil {
		return spec, usage.Wrap(err)
	}
	if inherits() {
		return spec, nil
	}
	spec.Insecure, spec.Stall = c.Bool("insecure"), c.Duration("stall")
	if spec.Ports, err = reach.ParsePorts(c.String("ports")); err != nil {
		return spec, usage.Errorf("--ports: %w", err)
	}
	if c.IsSet("stall") && spec.Stall == 0 {
		return spec, usage.Errorf("--stall 0: want a time such as 30s, or -1s for no limit")
	}
	spec.Settings, err = ReadOptions(c, net.Name)
	return spec, err
}

// ReadOptions reads the flags of OptionFlags, each of which is only for its network.
func ReadOptions(c *cli.Context, net string) (cluster.Settings, error) {
	s := make(cluster.Settings)
	for _, o := range cluster.Options() {
		switch v := c.String(o.Name); {
		case v == "":
		case net != o.Of.String():
			return nil, usage.Errorf("--%s is %s: use it with --net %v", o.Name, o.Whose, o.Of)
		default:
			s[o.Name] = v
		}
	}
	return s, nil
}

func optionNames() (names []string) {
	for _, o := range cluster.Options() {
		names = append(names, o.Name)
	}
	return names
}
