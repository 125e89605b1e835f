package sweep

import (
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// schema identifies the documents of all sweeps, which docs/reference/json.md describes.
const schema = "fagus.sweep/v2"

// Command returns the command fagus lab sweep.
func Command() *cli.Command {
	return &cli.Command{
		Name: "sweep", Usage: "measure over a range of nodes, of variables, or of unequal work",
		UsageText:   "fagus lab sweep SWEEP [flags]\n\nfagus lab sweep barrier --nodes 2..64",
		ArgsUsage:   "SWEEP",
		Subcommands: []*cli.Command{barrierCommand(), transferCommand(), mpiCommand(), variablesCommand(), imbalanceCommand(), placementCommand(), scaleCommand()},
	}
}

const nodesUsage = "`COUNTS` of nodes: a list 2,16, or 2..64, doubling"

// parseNodes parses node counts, none below least: comma-separated, or LO..HI, which doubles LO.
func parseNodes(s string, least int) (counts []int, err error) {
	mistake := usage.Errorf("--nodes %q: want numbers from %d to %d with commas between, or LO..HI", s, least, dimmnet.MaxNodes)
	number := func(s string) (n int) {
		n, e := strconv.Atoi(strings.TrimSpace(s))
		if e != nil || n < least || n > dimmnet.MaxNodes {
			err = mistake
		}
		return n
	}
	from, to, found := strings.Cut(s, "..")
	if !found {
		for item := range strings.SplitSeq(s, ",") {
			counts = append(counts, number(item))
		}
		return counts, err
	}
	lo, hi := number(from), number(to)
	if err != nil || lo > hi {
		return nil, mistake
	}
	for n := lo; n < hi; n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, hi), nil
}
