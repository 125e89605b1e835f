package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// netShm is the network of processes of this host, netTCP and netQUIC are the same over
// sockets, or of processes of several hosts.
const (
	netShm    = "shm"
	netTCP    = "tcp"
	netQUIC   = "quic"
	jobsUsage = "shm (processes of this host, which the command starts unless a launcher has, wall time), tcp (the same, over loopback sockets) or quic (over UDP, always encrypted)"
)

// overSockets says whether the ranks of a network may be on several hosts.
func overSockets(net string) bool { return net == netTCP || net == netQUIC }

// membership is a process's place among the ranks of a job.
type membership interface {
	Close(ctx context.Context) error
}

// join makes this process the rank that its environment says. If that says nothing the
// process is none: it starts them.
func (p *placement) join(ctx context.Context, nodesSet bool) error {
	p.env = ""
	place, err := cluster.FromEnv(os.LookupEnv)
	if errors.Is(err, cluster.ErrNoJob) {
		p.launches = true
		return nil
	}
	if err != nil {
		return err
	}
	if nodesSet && p.nodes != place.Size {
		return usagef("--nodes %d: this process is one of %d ranks, as %s says", p.nodes, place.Size, place.Source)
	}
	p.nodes, p.rank = place.Size, place.Rank
	if overSockets(p.net) && place.Spans() {
		return p.joinHosts(ctx, place)
	}
	if err := place.CheckHost(); err != nil {
		return &usageError{err}
	}
	host, err := cluster.JoinHost(ctx, place, cluster.HostConfig{})
	if err != nil {
		return err
	}
	p.job = host
	p.network = host.Network(p.transport())
	return nil
}

// joinHosts joins ranks that may be on several hosts.
func (p *placement) joinHosts(ctx context.Context, place cluster.Place) error {
	cfg, err := cluster.HostsConfigFromEnv(os.LookupEnv, dimmnet.Rank(place.Rank))
	if err != nil {
		return err
	}
	cfg.Log = p.log
	cfg.Insecure = cfg.Insecure || p.insecure
	hosts, err := cluster.JoinHosts(ctx, place, cfg)
	if err != nil {
		return err
	}
	p.job, p.network = hosts, hosts.Network(p.transport())
	return nil
}

// transport is what --net names of a job.
func (p *placement) transport() cluster.Transport {
	switch p.net {
	case netTCP:
		return cluster.TCP
	case netQUIC:
		return cluster.QUIC
	}
	return cluster.SHM
}

// leave ends the membership, if there is one.
func (p *placement) leave(ctx context.Context) error {
	if p.job == nil {
		return nil
	}
	return p.job.Close(ctx)
}

// launchSelf runs this command again, as every rank of a job.
func (p *placement) launchSelf(c *cli.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	job := launch.Job{
		Size:     p.nodes,
		Argv:     append([]string{self}, os.Args[1:]...),
		Stdout:   c.App.Writer,
		Stderr:   c.App.ErrWriter,
		PlainOut: true, // rank 0 alone prints
	}
	return runRanks(c.Context, c, &job) // each rank knows its --timeout
}

const hostsCategory = "several hosts"

// hostFlags say on which hosts ranks are started, and how.
func hostFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "hosts", Category: hostsCategory, Usage: "start the ranks on `HOSTS`, a,b[:slots], by ssh; fagus and the program must be on each, at the same paths"},
		&cli.StringFlag{Name: "rsh", Category: hostsCategory, Usage: "use `COMMAND` in the place of ssh; %h in it is the host, which otherwise comes last"},
		&cli.BoolFlag{Name: "insecure", Category: hostsCategory, Usage: "encrypt nothing between hosts, and believe everybody"},
	}
}

// checkHosts reports flags about hosts for a network that has none.
func checkHosts(c *cli.Context) error {
	net := c.String("net")
	for _, flag := range []string{"hosts", "rsh", "insecure"} {
		if c.IsSet(flag) && !overSockets(net) {
			return usagef("--%s is for ranks on several hosts, and --net %s has none: use it with --net %s or %s", flag, net, netTCP, netQUIC)
		}
	}
	return nil
}

// runRanks runs a job on the hosts that the flags name, or on this one. SIGQUIT is passed on to
// its ranks.
func runRanks(ctx context.Context, c *cli.Context, job *launch.Job) error {
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	defer signal.Stop(quit)
	job.Signals = quit
	job.Env = append(cluster.WithoutPlace(os.Environ()), job.Env...) // this process may be a rank of another launcher's job
	var ranks interface {
		Check() error
		Run(ctx context.Context) error
	} = job
	if c.IsSet("hosts") {
		spread, err := onHosts(c, job)
		if err != nil {
			return err
		}
		ranks = spread
	} else if c.IsSet("rsh") || c.IsSet("insecure") {
		return usagef("--rsh and --insecure are for ranks on --hosts")
	}
	if err := ranks.Check(); err != nil {
		return &usageError{err}
	}
	err := ranks.Run(ctx)
	var exit *launch.ExitError
	if errors.As(err, &exit) {
		return &rankError{exit, c.Command.Name == "launch"}
	}
	return err
}

// onHosts is job on the hosts that the flags name.
func onHosts(c *cli.Context, job *launch.Job) (*launch.Hosts, error) {
	hosts, err := launch.ParseHosts(c.String("hosts"))
	if err != nil {
		return nil, &usageError{err}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	job.Env = slices.DeleteFunc(job.Env, func(v string) bool { return !strings.HasPrefix(v, "FAGUS_") }) // the rest is each host's own
	return &launch.Hosts{
		Job: *job, Hosts: hosts, Rsh: strings.Fields(c.String("rsh")),
		Agent: []string{self, agentName}, Insecure: c.Bool("insecure"),
	}, nil
}

// rankError is the failure of a rank. One that is this program has told it, unless it was
// killed.
type rankError struct {
	*launch.ExitError
	foreign bool // it may be any program
}

// silent says whether the rank may not have told it.
func (e *rankError) silent() bool { return e.foreign || e.Code > 128 }
