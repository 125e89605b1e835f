package cmdline

import (
	library "github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Nearest returns the name that is most similar to word, or "" if none is likely meant.
func Nearest(word string, names []string) string { return cli.Nearest(word, names) }

// likelyFlag returns the flag that is likely meant, as users type it, or "".
func likelyFlag(flags []library.Flag, word string) string {
	var names []string
	for _, f := range flags {
		if !isHidden(f) {
			names = append(names, f.Names()...)
		}
	}
	if name := cli.LikelyFlag(word, names); name != "" {
		return dashed(name)
	}
	return ""
}

// NoFlag returns the error for an unknown flag, with the likely one of flags. path is the command
// or program whose help text lists the flags.
func NoFlag(flags []library.Flag, name, path string) error {
	return usage.Errorf("no flag %s; %s '%s --help'", dashed(name), didYouMean(likelyFlag(flags, name)), path)
}

// didYouMean returns the words between a mistake and the command line that prints the help text.
func didYouMean(hint string) string {
	if hint == "" {
		return "see"
	}
	return "did you mean " + hint + "? See"
}

func dashed(name string) string { return cli.Dashed(name) }

// flagNames returns the names of a flag as users type them. A letter that is the only name is
// written with two dashes, as in --n 64: --n and -n are the same.
func flagNames(names []string) []string {
	if len(names) == 1 {
		return []string{"--" + names[0]}
	}
	var all []string
	for _, n := range names {
		all = append(all, dashed(n))
	}
	return all
}
