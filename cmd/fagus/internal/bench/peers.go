package bench

import (
	"context"
	"errors"
	"fmt"
	"github.com/fagus-dsm/fagus/apps/catalog/usage"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/corepair"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/peers"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
)

const peersText = "make -C bench peers && fagus bench --peers        against Open MPI and MPICH (docs/peers.md)\n" +
	"fagus bench --peers --net tcp                     all by TCP on the loopback device\n" +
	"fagus bench --peers --ops barrier,sum --json"

func peersOnly() []string { return []string{"peers-dir", "ops", "n", "cpus"} }

func peersFlags() []cli.Flag {
	const category = "with --peers"
	return []cli.Flag{
		&cli.BoolFlag{Name: "peers", Category: category, Usage: "measure Open MPI and MPICH too, in turns with two ranks of Fagus; --net shm (the default here) or tcp"},
		&cli.StringFlag{Name: "peers-dir", Category: category, Value: "bench/build", Usage: "`FOLDER` of the programs that make -C bench peers has built"},
		&cli.StringSliceFlag{Name: "ops", Category: category, DefaultText: "all but product", Usage: "`NAMES` of the operations: barrier, sum, round-trip, hand-over, stream (of --bytes), stream-read, matmul (its data movement), product (with computation)"},
		&cli.IntFlag{Name: "n", Category: category, Value: 2048, Usage: "`ORDER` of the matrices of matmul and product"},
		&cli.IntSliceFlag{Name: "cpus", Category: category, DefaultText: "the first two", Usage: "the two `PROCESSORS` on which ranks run"},
		&cli.StringFlag{Name: "serve", Hidden: true},
	}
}

type rivalry struct {
	systems []peers.System
	cases   []peers.Case
	session peers.Session
	report  peersReport
	timeout time.Duration
}

func runPeers(c *cli.Context) error {
	r, err := newContestants(c)
	if err != nil {
		return err
	}
	ctx, cancel := runflags.WithTimeout(c.Context, r.timeout)
	defer cancel()
	if err := r.measure(ctx, c); err != nil {
		return err
	}
	return base.Print(c, &r.report, r.report.print)
}

func newContestants(c *cli.Context) (*rivalry, error) {
	net := runflags.SHM
	if c.IsSet("net") {
		net = c.String("net")
	}
	if _, err := runflags.Named(runflags.SHM, runflags.TCP).Find(net); err != nil {
		return nil, fmt.Errorf("%w with --peers", err)
	}
	if c.IsSet("nodes") && c.Int("nodes") != peers.Ranks {
		return nil, usage.Errorf("--nodes %d: want %d with --peers", c.Int("nodes"), peers.Ranks)
	}
	if c.String("mode") != fagus.Phase.String() {
		return nil, usage.Errorf("--mode %s: with --peers want %v, which makes the ranks take turns", c.String("mode"), fagus.Phase)
	}
	if c.Int("samples") < 1 || c.Duration("batch") <= 0 {
		return nil, usage.Errorf("--samples %d --batch %v: want at least 1 sample of more than 0 s", c.Int("samples"), c.Duration("batch"))
	}
	timeout, err := runflags.Timeout(c)
	if err != nil {
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
	r := &rivalry{systems: systems, cases: cases, timeout: timeout}
	r.session = peers.Session{
		Samples: c.Int("samples"), Batch: c.Duration("batch"),
		Probe: func() (time.Duration, error) { return corepair.RoundTrip(cpus[0], cpus[1]) },
	}
	r.report = newPeersReport(net, cpus, systems, missing)
	return r, nil
}

// twoProcessors returns the processors of the two ranks: those of --cpus, or the first two.
func twoProcessors(c *cli.Context) ([]int, error) {
	allowed, err := corepair.Allowed()
	if err != nil {
		return nil, err
	}
	cpus := c.IntSlice("cpus")
	if !c.IsSet("cpus") {
		if len(allowed) < peers.Ranks {
			return nil, fmt.Errorf("bench: this process may use the processors %v: want at least %d", allowed, peers.Ranks)
		}
		return allowed[:peers.Ranks], nil
	}
	if len(cpus) != peers.Ranks || cpus[0] == cpus[1] || !slices.Contains(allowed, cpus[0]) || !slices.Contains(allowed, cpus[1]) {
		return nil, usage.Errorf("--cpus %v: want two of %v", cpus, allowed)
	}
	return cpus, nil
}

// measure starts all systems, measures them, and stops them all before it returns.
func (r *rivalry) measure(ctx context.Context, c *cli.Context) error {
	folder, err := os.MkdirTemp("", "fagus-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for i, s := range r.systems {
		// MPI launchers create their temporary files in TMPDIR.
		s.Env = append(slices.Clone(s.Env), "TMPDIR="+folder)
		running, err := peers.Start(ctx, s, filepath.Join(folder, fmt.Sprint(i)))
		if err != nil {
			return err
		}
		defer running.Stop()
		r.session.Running = append(r.session.Running, running)
	}
	total := 0
	for _, one := range r.cases {
		total += len(one.Methods) * r.session.Samples
	}
	bar := base.NewProgress(c.App.ErrWriter, "samples", total)
	defer bar.Stop()
	r.session.Progress = func() { bar.Add(1) }
	for _, one := range r.cases {
		rows, dropped, err := r.session.Measure(ctx, one)
		if err != nil {
			return err
		}
		r.report.Rows = append(r.report.Rows, rows...)
		r.report.Dropped += dropped
	}
	if len(r.report.Rows) == 0 {
		return errors.New("bench: all samples were dropped, because the processors' distance changed during each")
	}
	return nil
}
