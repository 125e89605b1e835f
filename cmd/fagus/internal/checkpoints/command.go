package checkpoints

import (
	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
)

// Command returns the command group fagus checkpoint.
func Command() *cli.Command {
	return &cli.Command{
		Name: "checkpoint", Usage: "list, verify, export and compare the checkpoints that runs with --checkpoint have made",
		UsageText: "fagus checkpoint COMMAND [flags]\n\n" +
			"fagus run sor --net inproc --nodes 2 --n 64 --checkpoint ck --checkpoint-every 0s    makes checkpoints in ck\n" +
			"fagus checkpoint ls ck                                                              lists them",
		ArgsUsage: "COMMAND",
		Description: "The commands only read, also while a job makes checkpoints in the directory. Without NUMBER they take\n" +
			"the newest checkpoint, and verify takes all. DIR may also be what --checkpoint takes: s3://BUCKET/PREFIX?OPTIONS,\n" +
			"and for diff s3://BUCKET/PREFIX:NUMBER?OPTIONS.",
		Subcommands: []*cli.Command{listCommand(), verifyCommand(), exportCommand(), diffCommand()},
	}
}

func listCommand() *cli.Command {
	return &cli.Command{
		Name: "ls", Usage: "list the checkpoints in a directory",
		UsageText: `fagus checkpoint ls [--json] DIR

fagus checkpoint ls ck
fagus checkpoint ls ck --json | jq '.checkpoints[].state'`,
		ArgsUsage: "DIR",
		Description: "Data are the bytes of the program's arrays; stored is what the checkpoint's own files take, and earlier\n" +
			"the data that are in files of earlier checkpoints. A checkpoint is damaged if its manifest or the index\n" +
			"of a part is: fagus checkpoint verify also reads the data.",
		Flags:  []cli.Flag{base.JSONFlag(listSchema)},
		Action: list,
	}
}

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "read all of the checkpoints in a directory, or of one, and print what is wrong",
		UsageText: `fagus checkpoint verify [--json] DIR [NUMBER]

fagus checkpoint verify ck
fagus checkpoint verify ck 320`,
		ArgsUsage:   "DIR [NUMBER]",
		Description: "Exit code 1: a checkpoint is damaged.",
		Flags:       []cli.Flag{base.JSONFlag(verifySchema)},
		Action:      verify,
	}
}

func exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write an array of a checkpoint to a file of NumPy or Matrix Market",
		UsageText: `fagus checkpoint export [flags] DIR [NUMBER]

fagus checkpoint export ck --array red --out red.npy                  the newest checkpoint
fagus checkpoint export ck 320 --array red --out red.mtx --shape 64x32`,
		ArgsUsage: "DIR [NUMBER]",
		Description: "Elements are numbers, bool, or arrays of them. Without --shape an .npy file has one dimension, and one\n" +
			"more for each of an array type; an .mtx file has a row for each element. Elements that were never\n" +
			"saved are 0.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "array", Usage: "`NAME` of the array"},
			&cli.StringFlag{Name: "out", Category: base.OutputCategory, Usage: "write to `FILE` (.npy or .mtx)"},
			&cli.StringFlag{Name: "shape", Usage: "write a matrix of `RxC` rows and columns, row by row"},
		},
		Action: export,
	}
}

func diffCommand() *cli.Command {
	return &cli.Command{
		Name: "diff", Usage: "compare the state, the arrays and their contents of two checkpoints",
		UsageText: `fagus checkpoint diff [--json] DIR[:NUMBER] DIR[:NUMBER]

fagus checkpoint diff ck:319 ck:320
fagus checkpoint diff ck:320 ck --json`,
		ArgsUsage:   "DIR[:NUMBER] DIR[:NUMBER]",
		Description: "Exit code 1: they differ. The number of ranks and the time at which they were made may differ.",
		Flags:       []cli.Flag{base.JSONFlag(diffSchema)},
		Action:      diff,
	}
}
