package travel

import (
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Commands returns the commands fagus why, fagus show and fagus diff.
func Commands() []*cli.Command {
	return []*cli.Command{whyCommand(), showCommand(), diffCommand()}
}

func whyCommand() *cli.Command {
	return &cli.Command{
		Name: "why", Usage: "say who wrote an element of an array last, in a run with --record, and what it had seen",
		UsageText: `fagus why [flags] DIR ELEMENT

fagus run sor --n 64 --nodes 2 --record rec        records a run in rec
fagus why rec 'red[70]'                            who wrote red[70] last
fagus why rec 'red[2,6]' --columns 32              the same element, of rows of 32
fagus why rec 'red[70]' --at phase:120             until its writer had made 120 steps
fagus why rec 'red[70]' --at time:1.5ms --json`,
		ArgsUsage: "DIR ELEMENT",
		Description: "For each write: the rank, its steps (in phase mode: phases; in threaded mode: calls in which all ranks\n" +
			"meet), the time, the variable and its version, the source lines of Acquire and Release, and with\n" +
			"--record-values the value. Below it: the versions of other variables that the rank had seen since its\n" +
			"write of the element before, and who had written them. What is not written keeps its value: a tenure\n" +
			"that leaves an element as it was is no write, unless the program declares what it writes.",
		Flags: []cli.Flag{
			atFlag(), columnsFlag(),
			&cli.IntFlag{Name: "last", Value: 5, Usage: "print the last `K` writes"},
			base.JSONFlag(whySchema),
		},
		Action: why,
	}
}

func showCommand() *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "print an array as it was at a point of a run with --record-values, or write it to a file",
		UsageText: `fagus show [flags] DIR ARRAY

fagus run sor --n 64 --nodes 2 --record rec --record-values
fagus show rec red --out red.npy                                  at the end of the run
fagus show rec red --at phase:120 --columns 32 --out red.png      as a picture, after 120 phases
fagus show rec red --columns 32 --out red.html                    pictures with a slider through the run`,
		ArgsUsage: "DIR ARRAY",
		Description: "Up to 1024 elements are printed, and the others written to a file. In a picture the least number is\n" +
			"dark blue, the largest is yellow, and what is no finite number is red. A page has at most 60 pictures,\n" +
			"of calls in which all ranks meet.",
		Flags: []cli.Flag{
			atFlag(), columnsFlag(),
			&cli.StringFlag{Name: "out", Category: base.OutputCategory, Usage: "write to `FILE` (.npy, .png or .html)"},
		},
		Action: show,
	}
}

func diffCommand() *cli.Command {
	return &cli.Command{
		Name: "diff", Usage: "find the first element in which two runs with --record differ, and who wrote it",
		UsageText: `fagus diff [flags] DIR1 DIR2

fagus run sor --n 64 --nodes 2 --record two --record-values
fagus run sor --n 64 --nodes 4 --mode threaded --record four --record-values
fagus diff two four
fagus diff two four --tolerance 1e-12 --json`,
		ArgsUsage: "DIR1 DIR2",
		Description: "The runs may be of another mode, network, number of nodes or seed. Arrays with the same name, type and\n" +
			"length are compared at the calls in which all ranks meet, Update, Barrier, Reduce and Fence, and at the\n" +
			"end: the k-th call at a source line of one run with the k-th call at that line of the other. What happens\n" +
			"between two such calls is not compared. Without --record-values in both runs, hashes of what was written\n" +
			"are: they tell of elements that both runs have written in the same pieces. Exit code 1: they differ.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "arrays", Usage: "compare only the arrays with these `NAMES`, with commas between: others may be laid out by rank"},
			&cli.Float64Flag{Name: "tolerance", Usage: "floating-point numbers may differ by this `PART` of the larger one, as they do where sums are in another order"},
			base.JSONFlag(diffSchema),
		},
		Action: diff,
	}
}

func atFlag() cli.Flag {
	return &cli.StringFlag{Name: "at", Value: "end", Usage: "until `POINT`: phase:120 (what a rank has released after at most 120 steps), time:1.5ms, or end"}
}

const columnsFlagName = "columns"

func columnsFlag() cli.Flag {
	return &cli.IntFlag{Name: columnsFlagName, Usage: "the array is a matrix with `N` elements in a row: arrays of Fagus have one dimension"}
}

func readColumns(c *cli.Context) (int, error) {
	columns := c.Int(columnsFlagName)
	if c.IsSet(columnsFlagName) && columns < 1 {
		return 0, usage.Errorf("--%s %d: want at least 1", columnsFlagName, columns)
	}
	return columns, nil
}
