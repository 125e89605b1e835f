package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/corepair"
	"github.com/fagus-dsm/fagus/cmd/fagus/peers"
	"github.com/fagus-dsm/fagus/fagus"
)

const peersText = "make -C bench peers && fagus bench --peers        against Open MPI and MPICH (docs/peers.md)\n" +
	"fagus bench --peers --net tcp                     all by TCP on the loopback device\n" +
	"fagus bench --peers --ops barrier,sum --json"

// peersOnly are the flags that are for --peers alone.
func peersOnly() []string { return []string{"peers-dir", "ops", "n", "cpus"} }

func peersFlags() []cli.Flag {
	const category = "with --peers"
	return []cli.Flag{
		&cli.BoolFlag{Name: "peers", Category: category, Usage: "measure Open MPI and MPICH as well, in turn with two ranks of Fagus; --net shm (the default here) or tcp"},
		&cli.StringFlag{Name: "peers-dir", Category: category, Value: "bench/build", Usage: "`FOLDER` of the programs that make -C bench peers has built"},
		&cli.StringSliceFlag{Name: "ops", Category: category, DefaultText: "all but product", Usage: "`NAMES` of what is measured: barrier, sum, round-trip, hand-over, stream (of --bytes), stream-read, matmul (what it moves), product (with computing)"},
		&cli.IntFlag{Name: "n", Category: category, Value: 2048, Usage: "`ORDER` of the matrices of matmul and product"},
		&cli.IntSliceFlag{Name: "cpus", Category: category, DefaultText: "the first two", Usage: "the two `PROCESSORS` on which ranks run"},
		&cli.StringFlag{Name: "serve", Hidden: true},
	}
}

// contestants is a run of fagus bench --peers.
type contestants struct {
	systems []peers.System
	cases   []peers.Case
	session peers.Session
	report  peersReport
}

func runPeers(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("unexpected argument %q", c.Args().First())
	}
	r, err := newContestants(c)
	if err != nil {
		return err
	}
	limit := c.Duration("timeout")
	ctx, cancel := withLimit(c.Context, limit)
	defer cancel()
	if err := r.measure(ctx, c); err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, &r.report)
	}
	return r.report.print(c.App.Writer)
}

// newContestants reads the flags.
func newContestants(c *cli.Context) (*contestants, error) {
	net := netShm
	if c.IsSet("net") {
		net = c.String("net")
	}
	if net != netShm && net != netTCP {
		return nil, usagef("--net %q: with --peers want %s or %s", net, netShm, netTCP)
	}
	if c.IsSet("nodes") && c.Int("nodes") != peers.Ranks {
		return nil, usagef("--nodes %d: with --peers there are %d", c.Int("nodes"), peers.Ranks)
	}
	if c.String("mode") != fagus.Phase.String() {
		return nil, usagef("--mode %s: with --peers want %v, in which ranks take turns", c.String("mode"), fagus.Phase)
	}
	if c.Int("samples") < 1 || c.Duration("batch") <= 0 {
		return nil, usagef("%d samples of %v: want at least one, of some time", c.Int("samples"), c.Duration("batch"))
	}
	if err := checkPlacement(c); err != nil {
		return nil, err
	}
	cpus, err := twoProcessors(c)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	systems, missing, err := competitors(net, self, c.String("peers-dir"), cpus)
	if err != nil {
		return nil, err
	}
	cases, err := casesOf(c, net, systems)
	if err != nil {
		return nil, err
	}
	r := &contestants{systems: systems, cases: cases}
	r.session = peers.Session{
		Samples: c.Int("samples"), Batch: c.Duration("batch"),
		Probe: func() (time.Duration, error) { return corepair.RoundTrip(cpus[0], cpus[1]) },
	}
	r.report = newPeersReport(net, cpus, systems, missing)
	return r, nil
}

// twoProcessors are those that ranks run on.
func twoProcessors(c *cli.Context) ([]int, error) {
	allowed, err := corepair.Allowed()
	if err != nil {
		return nil, err
	}
	cpus := c.IntSlice("cpus")
	if !c.IsSet("cpus") {
		if len(allowed) < peers.Ranks {
			return nil, fmt.Errorf("bench: processors %v may be used: want %d", allowed, peers.Ranks)
		}
		return allowed[:peers.Ranks], nil
	}
	if len(cpus) != peers.Ranks || cpus[0] == cpus[1] || !slices.Contains(allowed, cpus[0]) || !slices.Contains(allowed, cpus[1]) {
		return nil, usagef("--cpus %v: want two of %v", cpus, allowed)
	}
	return cpus, nil
}

// measure starts all systems, measures, and ends them: whatever happens, none is left.
func (r *contestants) measure(ctx context.Context, c *cli.Context) error {
	folder, err := os.MkdirTemp("", "fagus-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for i, s := range r.systems {
		s.Env = append(slices.Clone(s.Env), "TMPDIR="+folder) // where launchers have theirs
		running, err := peers.Start(ctx, s, filepath.Join(folder, fmt.Sprint(i)))
		if err != nil {
			return err
		}
		defer running.Stop()
		r.session.Running = append(r.session.Running, running)
	}
	total := 0
	for _, one := range r.cases {
		total += len(one.Ways) * r.session.Samples
	}
	bar := newProgress(c.App.ErrWriter, "samples", total)
	defer bar.stop()
	r.session.Progress = func() { bar.add(1) }
	for _, one := range r.cases {
		rows, dropped, err := r.session.Measure(ctx, one)
		if err != nil {
			return err
		}
		r.report.Rows = append(r.report.Rows, rows...)
		r.report.Dropped += dropped
	}
	if len(r.report.Rows) == 0 {
		return errors.New("bench: all samples were dropped: the processors moved in each")
	}
	return nil
}
