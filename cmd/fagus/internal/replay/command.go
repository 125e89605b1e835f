package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/travel"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
	"github.com/fagus-dsm/fagus/fagus/recording"
	"github.com/fagus-dsm/fagus/fagus/replay"
)

// Command returns the command fagus replay.
func Command() *cli.Command {
	return &cli.Command{
		Name: "replay", Usage: "run one rank of a run with --record-values again, alone, with what the others sent",
		UsageText: `fagus replay [flags] DIR [-- COMMAND]

fagus run sor --n 64 --nodes 4 --record rec --record-values
fagus replay rec --rank 3                                  the recorded command again, as rank 3
fagus replay rec --rank 3 -- ./app --n 64                  this command
fagus replay rec --rank 3 -- dlv exec ./app -- --n 64      in a debugger
fagus replay rec --rank 3 -- gdb --args ./app --n 64
fagus replay rec --rank 3 -- perf record ./app --n 64      in a profiler`,
		ArgsUsage: "DIR [-- COMMAND]",
		Description: "The program must be the recorded one, with the same flags; it may be edited, if it makes the same calls.\n" +
			"Its network and number of nodes come from the record, and it writes no report, trace or checkpoint.\n" +
			"Each call is compared with the recorded one, and what the rank writes with what it wrote. Without\n" +
			"COMMAND the command line that the record has is started, in the folder that it has: replay so only\n" +
			"records that you trust. Exit code 0: the rank did the same to the end of its record, also if that\n" +
			"is a failure; 1: the first difference is printed; 2: the record ends before the rank did, or cannot\n" +
			"be replayed.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "rank", Usage: "the `RANK`"},
			&cli.StringFlag{Name: "record", Usage: "record the replay in `DIR`, which must be new: with --rank 0, fagus why and fagus diff read it"},
			base.JSONFlag(schema),
		},
		Action: run,
	}
}

func run(c *cli.Context) error {
	if c.NArg() == 0 {
		return usage.Errorf("want a record, such as rec; see 'fagus replay --help'")
	}
	dir, rank := c.Args().First(), c.Int("rank")
	of, err := open(dir, rank)
	if err != nil {
		return err
	}
	argv, folder := c.Args().Slice()[1:], ""
	if len(argv) > 0 && argv[0] == "--" {
		argv = argv[1:]
	}
	if len(argv) == 0 {
		if argv, folder = of.Command, of.Folder; len(argv) == 0 {
			return usage.Errorf("%s does not say which command was recorded: name it, as in fagus replay %s --rank %d -- ./app", dir, dir, rank)
		}
		fmt.Fprintf(c.App.ErrWriter, "fagus: in %s: %s\n", base.Printable(folder), base.Printable(strings.Join(argv, " ")))
	}
	result, failed, err := start(c, dir, rank, argv, folder)
	if err != nil {
		return err
	}
	d := newDocument(dir, of, argv, result)
	if err := base.PrintText(c, d, d.text); err != nil {
		return err
	}
	switch {
	case d.Difference != nil:
		return errors.New("the replay differs from the recorded run")
	case d.End == replay.Cut:
		return usage.Errorf("%s", d.Text)
	case d.End == replay.Ended && failed != nil:
		return fmt.Errorf("the rank did what it did, and the program ended with: %w", failed)
	}
	return nil
}

// open returns what a record says of a rank, if it can be replayed.
func open(dir string, rank int) (recording.About, error) {
	run, err := travel.Open(dir)
	switch {
	case err != nil:
		return recording.About{}, err
	case rank < 0 || rank >= run.Nodes:
		return recording.About{}, usage.Errorf("--rank %d: %s has the ranks 0 to %d", rank, dir, run.Nodes-1)
	case !run.Values:
		return recording.About{}, usage.Errorf("%s has no values: record the run with --record-values", dir)
	}
	in, err := run.Rank(rank)
	if err != nil {
		return recording.About{}, err
	}
	in.Close()
	if in.Nodes == 0 {
		return recording.About{}, usage.Errorf("%s has no record of rank %d: it is on the host of that rank, or lost", dir, rank)
	}
	return in.About, nil
}

// start starts the command, and returns what its process says, and how it ended.
func start(c *cli.Context, dir string, rank int, argv []string, folder string) (result *replay.Result, failed, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, nil, err
	}
	temporary, err := os.MkdirTemp("", "fagus-replay")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(temporary)
	file := filepath.Join(temporary, "result")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = folder, os.Stdin, os.Stdout, os.Stderr
	if c.Bool("json") {
		cmd.Stdout = os.Stderr // the document is then alone on standard output
	}
	cmd.Env = append(environ(), replay.DirVariable+"="+dir, fmt.Sprintf("%s=%d", replay.RankVariable, rank), replay.ResultVariable+"="+file)
	if again := c.String("record"); again != "" {
		if again, err = filepath.Abs(again); err != nil {
			return nil, nil, err
		}
		cmd.Env = append(cmd.Env, replay.RecordVariable+"="+again)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt) // which the terminal sends to the command, too
	defer signal.Stop(signals)
	failed = cmd.Run()
	if cmd.ProcessState == nil {
		return nil, nil, failed // it has not begun
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, without(argv, failed)
	}
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	return result, failed, err
}

// environ returns the environment without what says where a program runs.
func environ() []string {
	return slices.DeleteFunc(cluster.WithoutPlace(os.Environ()), func(v string) bool {
		return strings.HasPrefix(v, "FAGUS_NET=") || strings.HasPrefix(v, "FAGUS_NODES=") || strings.HasPrefix(v, "FAGUS_MODE=") || strings.HasPrefix(v, replay.DirVariable)
	})
}

// without returns the error of a command that has made no replay.
func without(argv []string, failed error) error {
	var exit *exec.ExitError
	if errors.As(failed, &exit) && exit.ExitCode() == runflags.ExitUsage {
		return usage.Errorf("%s has replayed nothing: %w", argv[0], failed)
	}
	if failed != nil {
		return fmt.Errorf("%s has ended before its replay did: %w", argv[0], failed)
	}
	return usage.Errorf("%s has replayed nothing: start a program that calls fagus.Run with Config.Record, as it did when it was recorded; a debugger must let it run to its end", argv[0])
}
