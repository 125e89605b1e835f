package cmdline

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"

	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// likely is the least similarity of a suggested name. The library's own suggestions answer any
// word.
const likely = 0.8

// Nearest returns the name that is most similar to word, or "" if none is likely meant. It returns
// no name of one letter, because such a name is similar to many words.
func Nearest(word string, names []string) (best string) {
	most := likely
	for _, name := range names {
		if s := similarity(strings.ToLower(word), name); len(name) > 1 && s > most {
			best, most = name, s
		}
	}
	return best
}

// similarity returns a number from 0 (nothing in common) to 1 (equal).
func similarity(a, b string) float64 {
	const boost, prefix = 0.7, 4 // Winkler's
	s := smetrics.JaroWinkler(a, b, boost, prefix)
	if sorted(a) == sorted(b) { // Jaro finds no exchanged letters in words of three
		s = max(s, 0.9)
	}
	return s
}

func sorted(word string) string {
	letters := []rune(word)
	slices.Sort(letters)
	return string(letters)
}

// likelyFlag returns the flag that is likely meant, as users type it, or "".
func likelyFlag(flags []cli.Flag, word string) string {
	names := []string{"help"}
	for _, f := range flags {
		if !isHidden(f) {
			names = append(names, f.Names()...)
		}
	}
	if other := otherWords()[word]; slices.Contains(names, other) {
		return dashed(other)
	}
	if name := Nearest(word, names); name != "" {
		return dashed(name)
	}
	return ""
}

// NoFlag returns the error for an unknown flag, with the likely one of flags. path is the command
// or program whose help text lists the flags.
func NoFlag(flags []cli.Flag, name, path string) error {
	return usage.Errorf("no flag %s; %s '%s --help'", dashed(name), didYouMean(likelyFlag(flags, name)), path)
}

// otherWords returns the names of flags by what other systems call them.
func otherWords() map[string]string {
	return map[string]string{
		"np": "nodes", "ranks": "nodes", "procs": "nodes", "processes": "nodes", "workers": "nodes", "ntasks": "nodes",
		"transport": "net", "network": "net", "hostfile": "hosts", "output": "out", "input": "in", "size": "n",
	}
}

// didYouMean returns the words between a mistake and the command line that prints the help text.
func didYouMean(hint string) string {
	if hint == "" {
		return "see"
	}
	return "did you mean " + hint + "? See"
}

// dashed returns a flag as users type it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

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
