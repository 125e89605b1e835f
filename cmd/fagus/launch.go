package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

func launchCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	return &cli.Command{
		Name:  "launch",
		Usage: "start a program as the ranks of a job, on this host or several",
		UsageText: "fagus launch [-n N] -- PROGRAM [ARGUMENTS]\n\n" +
			"fagus launch -n 4 -- ./app --size 512        a program that calls cluster.Run\n" +
			"fagus launch -n 4 -- fagus run matmul --net shm\n" +
			"fagus launch -n 2 --plain -- ./app >out      output as it comes, without ranks\n" +
			"fagus launch -n 8 --hosts a,b:6 -- /opt/app  two ranks at a, six at b, by ssh",
		Description: "Every process finds its place in FAGUS_RANK, FAGUS_SIZE and FAGUS_JOB. The first that fails\n" +
			"ends all others; its exit code is that of fagus launch, or 128 and the number of its signal.\n" +
			"Standard input goes to rank 0 (not with --hosts). SIGQUIT is passed on: fagus run then says what each rank waits for.",
		HideHelpCommand: true,
		OnUsageError:    usage,
		Flags: append([]cli.Flag{
			&cli.IntFlag{Name: "n", Aliases: []string{"nodes"}, Value: 2, Usage: "number of `RANKS`"},
			&cli.BoolFlag{Name: "plain", Usage: "pass output on as it is, without the rank before each line"},
			&cli.StringFlag{Name: "net", Usage: "what carries the data of a program that calls cluster.Run, or the C library: shm, tcp or quic (FAGUS_NET); with the C library also dimmnet1 or udp100, simulated here", DefaultText: "shm; tcp with --hosts"},
			&cli.StringFlag{Name: "mode", Value: fagus.Phase.String(), Usage: "engine of a simulated network: phase or threaded (elsewhere FAGUS_MODE says)"},
			timeoutFlag(""),
		}, hostFlags()...),
		Action: func(c *cli.Context) error {
			switch {
			case c.NArg() == 0:
				return usagef("no program to launch; see 'fagus launch --help'")
			case c.Int("n") < 1:
				return usagef("-n %d: want at least 1", c.Int("n"))
			case c.IsSet("mode") && !simulated(c.String("net")):
				return usagef("--mode is of a simulated network: FAGUS_MODE in the environment says it to the C library")
			}
			if err := checkTimeout(c); err != nil {
				return err
			}
			env, err := transportEnv(c)
			if err != nil {
				return err
			}
			ctx, cancel := withLimit(c.Context, c.Duration("timeout"))
			defer cancel()
			job := &launch.Job{
				Env:      env,
				Size:     c.Int("n"),
				Argv:     c.Args().Slice(),
				Stdin:    os.Stdin,
				Stdout:   c.App.Writer,
				Stderr:   c.App.ErrWriter,
				PlainOut: c.Bool("plain"),
				PlainErr: c.Bool("plain"),
			}
			if simulated(c.String("net")) {
				return simulateRanks(ctx, c, job)
			}
			return runRanks(ctx, c, job)
		},
	}
}

// transportEnv is --net as the ranks read it.
func transportEnv(c *cli.Context) ([]string, error) {
	net := c.String("net")
	switch {
	case !c.IsSet("net"), simulated(net):
		return nil, nil
	case net == netShm && c.IsSet("hosts"):
		return nil, usagef("--net %s is the memory of one host: use --net %s or %s with --hosts", netShm, netTCP, netQUIC)
	case net == netShm || overSockets(net):
		return []string{"FAGUS_NET=" + net}, nil
	}
	return nil, usagef("--net %q: want %s, %s or %s; or, for programs with the C library, %s or %s", net, netShm, netTCP, netQUIC, netDIMMnet1, netUDP100)
}

// agentName is the hidden command that starts ranks for a launcher on another host.
const agentName = "agent"

func agentCommand(usage cli.OnUsageErrorFunc) *cli.Command {
	return &cli.Command{
		Name:            agentName,
		Usage:           "start ranks on this host for fagus launch --hosts, which speaks to it",
		Hidden:          true,
		HideHelpCommand: true,
		OnUsageError:    usage,
		Action: func(c *cli.Context) error {
			return launch.Agent(c.Context, os.Stdin, c.App.Writer)
		},
	}
}
