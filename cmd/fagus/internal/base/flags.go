package base

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Counts reads the comma-separated numbers of a flag, and sorts them.
func Counts(c *cli.Context, flag string) (counts []int, err error) {
	if counts, err = cmdline.Ints(c.String(flag)); err != nil {
		return nil, usage.Errorf("--%s %q: want numbers with commas between", flag, c.String(flag))
	}
	slices.Sort(counts)
	return slices.Compact(counts), nil
}

// Map returns what of returns for each item.
func Map[T, U any](items []T, of func(T) U) (list []U) {
	for _, item := range items {
		list = append(list, of(item))
	}
	return list
}

// CheckRounds returns an error if a measurement cannot use the values of --rounds and --seed.
func CheckRounds(rounds int, seed uint64) error {
	if rounds < 1 {
		return usage.Errorf("--rounds %d: want at least 1", rounds)
	}
	if seed == 0 {
		return usage.Errorf("--seed 0: want at least 1, to draw the phases of polls from")
	}
	return nil
}
