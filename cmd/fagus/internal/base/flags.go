package base

import (
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog/usage"
)

// Counts reads the comma-separated numbers of a flag, and sorts them.
func Counts(c *cli.Context, flag string) (counts []int, err error) {
	text := c.String(flag)
	for item := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(item))
		if err != nil {
			return nil, usage.Errorf("--%s %q: want numbers with commas between", flag, text)
		}
		counts = append(counts, n)
	}
	slices.Sort(counts)
	return slices.Compact(counts), nil
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
