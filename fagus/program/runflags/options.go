package runflags

import (
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/urfave/cli/v2"
)

// OptionFlags returns a flag for each option of a live network.
func OptionFlags(category string) (flags []cli.Flag) {
	for _, o := range cluster.Options() {
		flags = append(flags, &cli.StringFlag{Name: o.Name, Category: category, DefaultText: o.Default, Usage: o.Usage})
	}
	return flags
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
