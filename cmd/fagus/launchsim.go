package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/target"
)

// simulated says whether a network is a simulation in this process.
func simulated(net string) bool { return net == netDIMMnet1 || net == netUDP100 }

// simulateRanks runs a job whose ranks have their Nodes in a simulation here: each process speaks to its own by a line. The
// simulation waits while a process computes, so its course does not depend on how long that takes.
func simulateRanks(ctx context.Context, c *cli.Context, job *launch.Job) error {
	for _, flag := range []string{"hosts", "rsh", "insecure"} {
		if c.IsSet(flag) {
			return usagef("--%s is for ranks on several hosts, and a simulation has none", flag)
		}
	}
	if err := job.Check(); err != nil {
		return &usageError{err}
	}
	mode, err := modeFlag(c.String("mode"))
	if err != nil {
		return err
	}
	cfg := sim.Config{}
	if c.String("net") == netUDP100 {
		cfg.UDP = &sim.UDP{}
	}
	network, err := sim.New(cfg)
	if err != nil {
		return &usageError{err}
	}
	here, err := lines(job)
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
		report, err = fagus.Run(ctx, fagus.Config{Nodes: job.Size, Net: network, Mode: mode}, func(n *fagus.Node) error {
			return target.Serve(n, here[n.Rank()])
		})
		if err != nil { // calls of the processes fail from now on
			hangUp(here)
		}
		ended <- err
	}()
	err = job.Run(ctx)
	if err != nil {
		cancel(err)
	}
	simulation := <-ended // lines of processes that have ended are closed: no Node waits for one
	switch exit := (*launch.ExitError)(nil); {
	case errors.As(err, &exit):
		return &rankError{exit, true}
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
	_, err = fmt.Fprintf(c.App.ErrWriter, "fagus: %v of virtual time, %d messages, %d bytes; trace hash %016x\n", slowest, messages, bytes, network.Result().TraceHash)
	return err
}

// lines gives each rank of a job a line, of which the other ends are here.
func lines(job *launch.Job) (here []net.Conn, err error) {
	for range job.Size {
		own, theirs, err := line()
		if err != nil {
			hangUp(here)
			for _, f := range job.Lines {
				_ = f.Close() // nobody has written to it
			}
			return nil, err
		}
		here, job.Lines = append(here, own), append(job.Lines, theirs)
	}
	return here, nil
}

// hangUp closes lines: who reads from one sees its end.
func hangUp(lines []net.Conn) {
	for _, l := range lines {
		_ = l.Close() // nothing that was written is of use any more
	}
}
