package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/shm"
	"github.com/fagus-dsm/fagus/dimmnet/tcp"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// netShm is the network of processes of this host.
// netTCP is the same over TCP, on the loopback device.
const (
	netShm    = "shm"
	netTCP    = "tcp"
	jobsUsage = "shm (processes of this host, which the command starts unless a launcher has, wall time) or tcp (the same, over loopback sockets)"
)

// tcpBulk is the bulk memory of a rank on sockets of one host, in bytes: large data are
// pushed there in pieces, straight into place.
const tcpBulk = 16 << 20

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
	if p.net == netTCP && place.Spans() {
		return p.joinHosts(ctx, place)
	}
	host, err := cluster.JoinHost(ctx, place, cluster.HostConfig{})
	if err != nil {
		return err
	}
	p.job = host
	if p.net == netTCP {
		p.network = tcp.Join(tcp.Config{Bulk: tcpBulk}, host)
	} else {
		p.network = shm.Join(shm.Config{}, host)
	}
	return nil
}

// joinHosts joins ranks that may be on several hosts.
func (p *placement) joinHosts(ctx context.Context, place cluster.Place) error {
	cfg, err := cluster.HostsConfigFromEnv(os.LookupEnv, dimmnet.Rank(place.Rank))
	if err != nil {
		return err
	}
	cfg.Log = p.log
	hosts, err := cluster.JoinHosts(ctx, place, cfg)
	if err != nil {
		return err
	}
	p.job, p.network = hosts, hosts.Network()
	return nil
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
	return runRanks(c.Context, &job)
}

// runRanks runs a job, to whose ranks SIGQUIT is passed on.
func runRanks(ctx context.Context, job *launch.Job) error {
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	defer signal.Stop(quit)
	job.Signals = quit
	job.Env = cluster.WithoutPlace(os.Environ()) // this process may be a rank of another launcher's job
	err := job.Run(ctx)
	var exit *launch.ExitError
	if errors.As(err, &exit) {
		return &rankError{exit}
	}
	return err
}

// rankError is a failure that a rank has told by itself.
type rankError struct{ *launch.ExitError }
