package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/internal/csession"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// simulateRanks runs a job whose network is simulated. The Node of each rank of a C program is in
// the simulation of this process, and a socket connects it to the rank's process. Virtual time
// stands still while a process computes, so the course of the simulation does not depend on the
// processes' speed. If the ranks are of package fagus/program, the process of rank 0 simulates.
func simulateRanks(ctx context.Context, c *cli.Context, job *launch.Job, network runflags.Network) error {
	if err := runflags.NoHostFlags(cmdline.Line(c), "a simulation has none"); err != nil {
		return err
	}
	if err := job.Check(); err != nil {
		return usage.Wrap(err)
	}
	cfg := runflags.Config{Network: network, Nodes: job.Size}
	if err := runflags.ReadMode(cmdline.Line(c), &cfg.Mode); err != nil {
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
	sum := result.report.Summary()
	m := sum.Messages
	_, err = fmt.Fprintf(c.App.ErrWriter, "fagus: %v of virtual time, %d messages, %d bytes; trace hash %016x\n",
		result.report.Slowest(), m.AOTF+m.BOTF+m.Push+m.Pull, sum.Bytes, on.Sim.Result().TraceHash)
	return err
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

// caller is a connection whose first bytes have been read ahead.
type caller struct {
	io.Reader
	io.Writer
}

// await waits until each process has made its first call or ended. It returns the connections of
// processes that use the C library, nil if the process of rank 0 simulates the network, or an
// error if the processes do neither.
func await(here []net.Conn) ([]caller, error) {
	callers, claims := make([]caller, len(here)), make([]bool, len(here))
	silent := make([]bool, len(here))
	var all sync.WaitGroup
	for rank, conn := range here {
		all.Go(func() {
			ahead := bufio.NewReader(conn)
			callers[rank] = caller{ahead, conn}
			first, err := ahead.Peek(len(runflags.Claim))
			claims[rank], silent[rank] = string(first) == runflags.Claim, err != nil
		})
	}
	all.Wait()
	var claimed, quiet int
	for rank := range here {
		if claims[rank] {
			claimed++
		}
		if silent[rank] {
			quiet++
		}
	}
	switch {
	case quiet == len(here):
		return nil, usage.Wrap(errors.New("no rank has used the simulated network: it is for programs that use package fagus/program or the C library. " +
			"Start a program that calls cluster.Run with --net " + runflags.OfProcesses().String() + ", and one that calls fagus.Run without fagus launch"))
	case claimed == 0:
		return callers, nil
	case !claims[0]:
		return nil, fmt.Errorf("the program of rank 0 differs from that of other ranks, which use package fagus/program: start the same program as every rank")
	case claimed+quiet < len(here):
		return nil, errors.New("the program of rank 0 uses package fagus/program, but that of other ranks the C library: start the same program as every rank")
	}
	return nil, nil
}
