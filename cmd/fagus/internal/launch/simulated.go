package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/internal/csession"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// simulateRanks runs a job whose network is simulated. The Node of each rank of a C program is in
// the simulation of this process, and a socket connects it to the rank's process. Virtual time
// stands still while a process computes, so the course of the simulation does not depend on the
// processes' speed. If the ranks are of package fagus/program, the process of rank 0 simulates.
func simulateRanks(ctx context.Context, c *cli.Context, job *launch.Job, network runflags.Network) error {
	if err := runflags.NoHostFlags(c, "a simulation has none"); err != nil {
		return err
	}
	if err := job.Check(); err != nil {
		return usage.Wrap(err)
	}
	cfg := runflags.Config{Network: network, Nodes: job.Size}
	if err := runflags.ReadMode(c, &cfg.Mode); err != nil {
		return err
	}
	on, err := cfg.Open(ctx)
	if err != nil {
		return err
	}
	// Drop this process's own rank, if it is a rank of another launcher's job.
	job.Env = append(cluster.WithoutPlace(os.Environ()), "FAGUS_NET="+network.Name, "FAGUS_MODE="+cfg.Mode.String())
	here, err := connect(job)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { hangUp(here) })()
	ended := make(chan simulation, 1)
	go func() { ended <- simulate(ctx, on, here) }()
	err = job.Run(ctx)
	if err != nil {
		cancel(err)
	}
	result := <-ended // it ends: every process has closed its socket
	switch exit := (*launch.ExitError)(nil); {
	case errors.As(err, &exit):
		return &runflags.RankError{ExitError: exit}
	case err != nil:
		return err
	case result.err != nil || result.elsewhere:
		return result.err
	}
	return result.print(c.App.ErrWriter, on)
}

// simulation is the result of simulate.
type simulation struct {
	report    fagus.Report
	elsewhere bool // the process of rank 0 has simulated the network
	err       error
}

// simulate runs the simulation, if the processes at the other ends of the connections want it.
func simulate(ctx context.Context, on *runflags.Target, here []net.Conn) (s simulation) {
	callers, err := await(here)
	switch {
	case err != nil:
		hangUp(here) // from now on the processes' calls of Fagus fail
		return simulation{err: err}
	case callers == nil:
		return simulation{elsewhere: true}
	}
	s.report, s.err = on.Run(ctx, func(n *fagus.Node) error { return csession.Serve(n, callers[n.Rank()]) })
	if s.err != nil {
		hangUp(here)
	}
	return s
}

// print prints how long the simulation took in virtual time, and what it sent.
func (s *simulation) print(w io.Writer, on *runflags.Target) error {
	sum := s.report.Summary()
	m := sum.Messages
	_, err := fmt.Fprintf(w, "fagus: %v of virtual time, %d messages, %d bytes; trace hash %016x\n",
		s.report.Slowest(), m.AOTF+m.BOTF+m.Push+m.Pull, sum.Bytes, on.Sim.Result().TraceHash)
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
