package cmdline

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// badValue matches the texts of package flag about a value that cannot be parsed.
var badValue = regexp.MustCompile(`(?s)^invalid (?:boolean )?value "(.*)" for (?:flag )?-(\S+): `)

var noValue = regexp.MustCompile(`^flag needs an argument: -(\S+)$`)

// Explain returns an error that says which values a flag of c takes, for err, an error of the
// parser of flags.
func Explain(c *cli.Command, err error) error {
	if m := noValue.FindStringSubmatch(err.Error()); m != nil {
		name, want := wanted(c, m[1])
		return fmt.Errorf("%s: want %s after it", name, want)
	}
	if m := badValue.FindStringSubmatch(err.Error()); m != nil {
		name, want := wanted(c, m[2])
		if strings.HasSuffix(err.Error(), strconv.ErrRange.Error()) {
			want += " of at most 64 bits"
		}
		return fmt.Errorf("%s %q: want %s", name, m[1], want)
	}
	return errors.New(err.Error())
}

// wanted returns a flag of c as users type it, and describes the values that it takes.
func wanted(c *cli.Command, name string) (typed, values string) {
	f := find(c.Flags, name)
	if f == nil {
		return dashed(name), "a value"
	}
	return flagNames(f.Names())[0], valuesOf(f)
}

func valuesOf(f cli.Flag) string {
	switch f.(type) {
	case *cli.IntFlag, *cli.Int64Flag:
		return "a whole number"
	case *cli.UintFlag, *cli.Uint64Flag:
		return "a whole number, 0 or more"
	case *cli.IntSliceFlag:
		return "whole numbers with commas between"
	case *cli.Float64Flag:
		return "a number"
	case *cli.DurationFlag:
		return "a time with its unit, such as 1.5s or 20ms"
	case *cli.BoolFlag:
		return "true or false"
	}
	return "a value"
}
