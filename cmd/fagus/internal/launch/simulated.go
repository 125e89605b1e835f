package launch

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/apps/catalog/usage"
	"github.com/fagus-dsm/fagus/cmd/internal/csession"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/internal/runflags"
)

// simulateRanks runs a job whose network is simulated in this process. The Node of each rank is in
// the simulation, and a socket connects it to the rank's process. Virtual time stands still while
// a process computes, so the course of the simulation does not depend on the processes' speed.
func simulateRanks(ctx context.Context, c *cli.Context, job *launch.Job, network runflags.Network) error {
	if err := runflags.NoHostFlags(c, "a simulation has none"); err != nil {
		return err
	}
	if err := job.Check(); err != nil {
		return usage.Wrap(err)
	}
	cfg := runflags.Config{Network: network, Nodes: job.Size}
	if err := runflags.ReadText(c, "mode", &cfg.Mode); err != nil {
		return err
	}
	on, err := cfg.Open(ctx)
	if err != nil {
		return err
	}
	here, err := connect(job)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { hangUp(here) })()
	ended := make(chan error, 1)
	var report fagus.Report
	go func() {
		var err error
		report, err = on.Run(ctx, func(n *fagus.Node) error { return csession.Serve(n, here[n.Rank()]) })
		if err != nil { // from now on the processes' calls of Fagus fail
			hangUp(here)
		}
		ended <- err
	}()
	err = job.Run(ctx)
	if err != nil {
		cancel(err)
	}
	simulation := <-ended // the simulation ends: every process has closed its socket
	switch exit := (*launch.ExitError)(nil); {
	case errors.As(err, &exit):
		return &runflags.RankError{ExitError: exit}
	case err != nil:
		return err
	case simulation != nil:
		return simulation
	}
	var messages, bytes uint64
	var slowest fagus.Time
	for i := range report.Ranks {
		m := report.Ranks[i].Messages()
		messages, bytes = messages+m.Stores+m.Writes+m.Pushes+m.Pulls, bytes+m.Bytes
		slowest = max(slowest, report.Ranks[i].Total())
	}
	_, err = fmt.Fprintf(c.App.ErrWriter, "fagus: %v of virtual time, %d messages, %d bytes; trace hash %016x\n", slowest, messages, bytes, on.Sim.Result().TraceHash)
	return err
}

// connect makes a pair of sockets for each rank of a job. The process of the rank inherits one
// socket of the pair; connect returns the other sockets, indexed by rank.
func connect(job *launch.Job) (here []net.Conn, err error) {
	for range job.Size {
		own, theirs, err := socketPair()
		if err != nil {
			hangUp(here)
			for _, f := range job.Lines {
				_ = f.Close() // no data can be lost: no process has used the socket
			}
			return nil, err
		}
		here, job.Lines = append(here, own), append(job.Lines, theirs)
	}
	return here, nil
}

func hangUp(connections []net.Conn) {
	for _, c := range connections {
		_ = c.Close() // an error does not matter: the reader has ended
	}
}
