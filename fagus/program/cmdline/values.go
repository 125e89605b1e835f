package cmdline

import (
	library "github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/program/cli"
)

// Explain returns an error that says which values a flag of c takes, for err, an error of the
// parser of flags.
func Explain(c *library.Command, err error) error {
	return cli.Explain(err, func(name string) (typed, values string) {
		f := find(c.Flags, name)
		if f == nil {
			return dashed(name), "a value"
		}
		return flagNames(f.Names())[0], valuesOf(f)
	})
}

func valuesOf(f library.Flag) string {
	switch f.(type) {
	case *library.IntFlag, *library.Int64Flag:
		return "a whole number"
	case *library.UintFlag, *library.Uint64Flag:
		return "a whole number, 0 or more"
	case *library.IntSliceFlag:
		return "whole numbers with commas between"
	case *library.Float64Flag:
		return "a number"
	case *library.DurationFlag:
		return "a time with its unit, such as 1.5s or 20ms"
	case *library.BoolFlag:
		return "true or false"
	}
	return "a value"
}
