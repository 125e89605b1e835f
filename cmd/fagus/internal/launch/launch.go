package launch

import (
	"os"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

func simulated() runflags.List { return runflags.Named(runflags.DIMMnet1, runflags.UDP100) }

// Command returns the command fagus launch.
func Command() *cli.Command {
	return &cli.Command{
		Name: "launch", Usage: "start a program as the ranks of a job, on this host or several",
		UsageText: `fagus launch [-n N] -- PROGRAM [ARGUMENTS]

fagus launch -n 4 -- ./app --size 512        a program that uses package fagus/program
fagus launch -n 4 --net dimmnet1 -- ./app    the same on a simulated network
fagus launch -n 4 -- fagus run matmul --net shm
fagus launch -n 2 --plain -- ./app >out      output unchanged, without ranks
fagus launch -n 4 --restart 3 -- ./app --checkpoint kept       a rank may die (docs/guide/processes.md)
fagus launch -n 8 --hosts a,b:6 -- /opt/app  two ranks on a, six on b, by ssh
make -C cmd/libfagus                         the C library (C, C++, Fortran) and its example
fagus launch -n 4 --net tcp -- cmd/libfagus/build/matmul       a C program
fagus launch -n 4 --net dimmnet1 -- cmd/libfagus/build/matmul  on simulated NICs`,
		Description: "Every process reads its rank, the number of ranks and the job's name from FAGUS_RANK, FAGUS_SIZE\n" +
			"and FAGUS_JOB. When a rank fails, the others are ended, and fagus launch exits with the code of\n" +
			"that rank, or 128 plus the number of the signal that killed it. Standard input goes to rank 0\n" +
			"(not with --hosts). SIGQUIT is passed on: fagus run then prints what each rank waits for.",
		Flags: append([]cli.Flag{
			&cli.IntFlag{Name: "n", Aliases: []string{"nodes"}, Value: 2, Usage: "number of `RANKS`"},
			&cli.BoolFlag{Name: "plain", Usage: "pass output on unchanged, without the rank before each line"},
			&cli.StringFlag{Name: "net", DefaultText: "shm; tcp with --hosts",
				Usage: "network of the program (FAGUS_NET): " + runflags.OfProcesses().String() + "; for programs that use package fagus/program or the C library also " + simulated().String()},
			&cli.StringFlag{Name: "mode", Value: fagus.Phase.String(), Usage: "engine of a simulated network: phase or threaded (FAGUS_MODE, which selects it on others)"},
			cmdline.Flag(runflags.RestartFlag("", "; a program of package fagus/program resumes from its --checkpoint")),
			&cli.DurationFlag{Name: "grace", DefaultText: "2s", Usage: "how long ranks may take to end after SIGTERM, for example to make a last checkpoint (their own --grace)"},
			cmdline.Flag(runflags.TimeoutFlag("")),
			cmdline.Flag(runflags.StallFlag("")),
		}, append(cmdline.Flags(runflags.OptionFlags("")...), cmdline.Flags(runflags.HostFlags()...)...)...),
		Action:      launchRanks,
		Subcommands: []*cli.Command{scaleCommand()},
	}
}

func scaleCommand() *cli.Command {
	return &cli.Command{
		Name:  "scale",
		Usage: "let a running job go on with another number of ranks",
		UsageText: `fagus launch scale JOB RANKS

fagus launch scale 4711 8   JOB is the process number of fagus launch or fagus run`,
		Description: "The job must have been started with --restart. Its ranks make a checkpoint at the next cut and end;\n" +
			"then so many ranks resume from there. The command returns when the launcher has told the ranks.",
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usage.Errorf("want two arguments, a job and a number of ranks")
			}
			job, err := strconv.Atoi(c.Args().Get(0))
			if err != nil || job < 1 {
				return usage.Errorf("%q: want the process number of a fagus launch or fagus run", c.Args().Get(0))
			}
			ranks, err := strconv.Atoi(c.Args().Get(1))
			if err != nil || ranks < 1 {
				return usage.Errorf("%q: want a number of ranks, at least 1", c.Args().Get(1))
			}
			return launch.Scale(job, ranks)
		},
	}
}

// Agent returns the hidden command that starts ranks on this host for a launcher on another host.
// The agent exchanges messages with the launcher by its standard input and output.
func Agent() *cli.Command {
	return &cli.Command{
		Name:   runflags.AgentName,
		Usage:  "start ranks on this host for fagus launch --hosts",
		Hidden: true,
		Action: func(c *cli.Context) error { return launch.Agent(c.Context, os.Stdin, c.App.Writer) },
	}
}

func launchRanks(c *cli.Context) error {
	switch {
	case c.NArg() == 0:
		return usage.Errorf("no program to launch; see 'fagus launch --help'")
	case c.Int("n") < 1:
		return usage.Errorf("-n %d: want at least 1", c.Int("n"))
	}
	limit, err := runflags.Timeout(cmdline.Line(c))
	if err != nil {
		return err
	}
	network, err := readNetwork(c)
	if err != nil {
		return err
	}
	if c.IsSet("mode") && !network.Simulated {
		mode := c.String("mode")
		return usage.Errorf("--mode %s is for --net %v: on other networks set FAGUS_MODE=%s in the environment, or give the program its own flag, '-- %s --mode %s'",
			mode, simulated(), mode, c.Args().First(), mode)
	}
	if c.IsSet("stall") && network.Simulated {
		return usage.Errorf("--stall is for processes on a live network: no rank of a simulated network stalls")
	}
	restart, err := runflags.ReadRestart(cmdline.Line(c))
	if err != nil {
		return err
	}
	if restart > 0 && network.Simulated {
		return usage.Errorf("--restart is for processes on a live network: no rank of a simulated network dies alone")
	}
	ctx, cancel := runflags.WithTimeout(c.Context, limit)
	defer cancel()
	job := &launch.Job{
		Size:     c.Int("n"),
		Argv:     c.Args().Slice(),
		Stdin:    os.Stdin,
		Stdout:   c.App.Writer,
		Stderr:   c.App.ErrWriter,
		PlainOut: c.Bool("plain"),
		PlainErr: c.Bool("plain"),
		Restart:  restart,
	}
	if network.Simulated {
		return simulateRanks(ctx, c, job, network)
	}
	if job.Spec, err = runflags.ReadSpec(cmdline.Line(c), network); err != nil {
		return err
	}
	return runflags.RunRanks(ctx, cmdline.Line(c), job)
}

// readNetwork returns the network of --net. Without the flag it returns none: the ranks choose.
func readNetwork(c *cli.Context) (runflags.Network, error) {
	if !c.IsSet("net") {
		return runflags.Network{}, nil
	}
	network, err := append(runflags.OfProcesses(), simulated()...).Find(c.String("net"))
	if err == nil && network.Processes && !network.Hosts && c.IsSet("hosts") {
		err = usage.Errorf("--net %s is the memory of one host: with --hosts use --net %v", network.Name,
			runflags.Which(func(n runflags.Network) bool { return n.Hosts }))
	}
	return network, err
}
