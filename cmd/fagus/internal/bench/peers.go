package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/base"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/corepair"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/hog"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/peers"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

const peersText = "make -C bench peers && fagus bench --peers        against Open MPI, MPICH and OpenSHMEM (docs/lab/peers.md)\n" +
	"fagus bench --peers --net tcp                     all by TCP on the loopback device\n" +
	"fagus bench --peers --net ofi --provider net      all over one provider of libfabric (fagus built with -tags ofi)\n" +
	"fagus bench --peers --ops barrier,sum --json\n" +
	"fagus bench --peers --ops barrier,sum --ranks 2,4,8\n" +
	"fagus bench --peers --ops barrier --hogs 1        beside a busy process\n" +
	"fagus bench --peers --ops meet --hogs 0,1,4,16,64 --ranks 2,4 --unbound   busy hosts: ranks compute and meet"

const (
	leastRanks = 2
	mostRanks  = 64
	mostHogs   = 256
	unbound    = "unbound"
)

func peersFlags() []cli.Flag {
	const category = "with --peers"
	return []cli.Flag{
		&cli.BoolFlag{Name: "peers", Category: category, Usage: "measure Open MPI, MPICH and OpenSHMEM too, in turns with ranks of Fagus; --net shm (the default here), tcp, or ofi with --provider"},
		&cli.StringFlag{Name: "peers-dir", Category: category, Value: "bench/build", Usage: "`FOLDER` of the programs that make -C bench peers has built"},
		&cli.StringSliceFlag{Name: "ops", Category: category, DefaultText: "all but meet and product", Usage: "`NAMES` of the operations: barrier, meet (75 000 steps of computing, some 100 us, and a barrier), sum, round-trip, hand-over, stream (of --bytes), stream-read, matmul (its data movement), product (with computation)"},
		&cli.IntSliceFlag{Name: "ranks", Category: category, Value: cli.NewIntSlice(leastRanks), Usage: "`NUMBERS` of ranks, one after the other; only barrier, meet, sum, matmul and product have more than 2"},
		&cli.IntFlag{Name: "n", Category: category, Value: 2048, Usage: "`ORDER` of the matrices of matmul and product"},
		&cli.IntSliceFlag{Name: "cpus", Category: category, DefaultText: "the first, one for each rank", Usage: "two or more `PROCESSORS`, which ranks take in turns"},
		&cli.IntSliceFlag{Name: "hogs", Category: category, Value: cli.NewIntSlice(0), Usage: "`NUMBERS` of busy processes beside the measurement, one after the other; they take the ranks' processors in turns"},
		&cli.BoolFlag{Name: unbound, Category: category, Usage: "bind neither ranks nor busy processes to processors, and measure ranks that are goroutines, too"},
		&cli.StringFlag{Name: "serve", Hidden: true},
		&cli.BoolFlag{Name: "bare", Hidden: true},
		&cli.IntFlag{Name: "hog", Hidden: true},
	}
}

type rivalry struct {
	heats   []heat
	session peers.Session // without Running, Batch and Unsteady
	report  peersReport
	timeout time.Duration
}

// heat is the measurement of all systems with one number of ranks and of hogs.
type heat struct {
	field
	systems []peers.System
	cases   []peers.Case
	batch   time.Duration
}

// sharing reports whether ranks share processors, with each other or with hogs.
func (f *field) sharing() bool { return f.hogs > 0 || f.crowded() }

// sharingBatch is the default time of a batch where ranks share processors with each other or with
// hogs. It is that of many time slices of the kernel: a rank that has slept before a batch is
// not interrupted in the first 3 or 4 ms.
const sharingBatch = 50 * time.Millisecond

func runPeers(c *cli.Context) error {
	r, err := newRivalry(c)
	if err != nil {
		return err
	}
	ctx, cancel := runflags.WithTimeout(c.Context, r.timeout)
	defer cancel()
	if err := r.measure(ctx, c); err != nil {
		return err
	}
	return base.PrintText(c, &r.report, r.report.text)
}

func newRivalry(c *cli.Context) (*rivalry, error) {
	net := runflags.SHM
	if c.IsSet("net") {
		net = c.String("net")
	}
	if err := checkPeersFlags(c, net); err != nil {
		return nil, err
	}
	timeout, err := runflags.Timeout(cmdline.Line(c))
	if err != nil {
		return nil, err
	}
	selected, err := wanted(c, net)
	if err != nil {
		return nil, err
	}
	ranks, err := rankNumbers(c, selected)
	if err != nil {
		return nil, err
	}
	cpus, err := processors(c, slices.Max(ranks))
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &rivalry{timeout: timeout}
	r.session = peers.Session{
		Samples: c.Int("samples"),
		Probe:   func() (time.Duration, error) { return corepair.RoundTrip(cpus[0], cpus[1]) },
	}
	r.report = peersReport{
		Schema: peersSchema, Version: base.Version(), Machine: base.Machine(), Load: load(),
		Net: net, Over: c.String("provider"), Ranks: ranks, CPUs: cpus, Hogs: c.IntSlice("hogs"), Rows: []peers.Row{},
	}
	for _, hogs := range c.IntSlice("hogs") {
		for _, n := range ranks {
			h := heat{batch: c.Duration("batch"), field: field{
				net: net, over: c.String("provider"), self: self, folder: c.String("peers-dir"), cpus: cpus, ranks: n, hogs: hogs, free: c.Bool(unbound), heap: symmetric(selected),
			}}
			all, missing, err := h.competitors()
			if err != nil {
				return nil, err
			}
			h.systems, h.cases = base.Map(all, func(c contestant) peers.System { return c.System }), casesOf(selected, n, all)
			if why := h.addPingPong(h.cases); why != nil {
				missing = append(missing, fmt.Sprintf("%s (%v)", fiPingPong, why))
			}
			if !c.IsSet("batch") && h.sharing() {
				h.batch = sharingBatch
			}
			r.heats = append(r.heats, h)
			r.report.add(h.systems, missing)
		}
	}
	return r, nil
}

func checkPeersFlags(c *cli.Context, net string) error {
	if _, err := runflags.Named(runflags.SHM, runflags.TCP, runflags.OFI).Find(net); err != nil {
		return fmt.Errorf("%w with --peers", err)
	}
	settings, err := runflags.ReadOptions(cmdline.Line(c), net)
	if err != nil {
		return err
	}
	if net == runflags.OFI && settings.Provider() == "" {
		return usage.Errorf("--peers --net %s: want --provider, as fi_info prints it: 'tcp;ofi_rxm', net, shm, 'udp;ofi_rxd' or that of a NIC", net)
	}
	if c.IsSet("nodes") && c.Int("nodes") != leastRanks {
		return usage.Errorf("--nodes %d: want --ranks with --peers", c.Int("nodes"))
	}
	if c.String("mode") != fagus.Phase.String() {
		return usage.Errorf("--mode %s: --peers measures both modes, each in rows of its own", c.String("mode"))
	}
	if c.Int("samples") < 1 || c.Duration("batch") <= 0 {
		return usage.Errorf("--samples %d --batch %v: want at least 1 sample of more than 0 s", c.Int("samples"), c.Duration("batch"))
	}
	_, err = different(c, "hogs", 0, mostHogs)
	return err
}

// different returns the numbers of a flag: at least one, all different, and between two bounds.
func different(c *cli.Context, flag string, least, most int) ([]int, error) {
	numbers := c.IntSlice(flag)
	for i, n := range numbers {
		if n < least || n > most || slices.Contains(numbers[:i], n) {
			return nil, usage.Errorf("--%s %s: want different numbers from %d to %d", flag, commas(numbers), least, most)
		}
	}
	if len(numbers) == 0 {
		return nil, usage.Errorf("--%s: want different numbers from %d to %d", flag, least, most)
	}
	return numbers, nil
}

// rankNumbers returns the numbers of ranks that the command line selects. Each operation must be
// possible with one of them, and with each number an operation must be possible.
func rankNumbers(c *cli.Context, selected []operation) ([]int, error) {
	numbers, err := different(c, "ranks", leastRanks, mostRanks)
	if err != nil {
		return nil, err
	}
	for _, one := range selected {
		if one.pair && c.IsSet("ops") && !slices.Contains(numbers, leastRanks) {
			return nil, usage.Errorf("--ranks %s --ops %s: this operation is of 2 ranks", commas(numbers), one.name)
		}
	}
	for _, n := range numbers {
		if len(casesOf(selected, n, nil)) == 0 {
			return nil, usage.Errorf("--ranks %s: no operation of --ops is of %d ranks", commas(numbers), n)
		}
	}
	return numbers, nil
}

// processors returns the processors of the ranks: those of --cpus, or as many of the first ones as
// ranks can use.
func processors(c *cli.Context, ranks int) ([]int, error) {
	allowed, err := corepair.Allowed()
	if err != nil {
		return nil, err
	}
	cpus := c.IntSlice("cpus")
	if !c.IsSet("cpus") {
		if len(allowed) < leastRanks {
			return nil, fmt.Errorf("bench: this process may use the processors %v: want at least %d", allowed, leastRanks)
		}
		return allowed[:min(ranks, len(allowed))], nil
	}
	wrong := len(cpus) < leastRanks
	for i, cpu := range cpus {
		wrong = wrong || !slices.Contains(allowed, cpu) || slices.Contains(cpus[:i], cpu)
	}
	if wrong {
		return nil, usage.Errorf("--cpus %v: want two or more of %v", cpus, allowed)
	}
	return cpus, nil
}

// measure measures all heats. When it returns, all processes have ended.
func (r *rivalry) measure(ctx context.Context, c *cli.Context) error {
	folder, err := os.MkdirTemp("", "fagus-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	total := 0
	for _, h := range r.heats {
		for _, one := range h.cases {
			total += len(one.Methods) * r.session.Samples
		}
	}
	bar := base.NewProgress(c.App.ErrWriter, "samples", total)
	defer bar.Stop()
	r.session.Progress = func() { bar.Add(1) }
	for i, h := range r.heats {
		if err := r.heat(ctx, h, filepath.Join(folder, fmt.Sprint(i))); err != nil {
			return err
		}
	}
	if len(r.report.Rows) == 0 {
		return errors.New("bench: all samples were dropped, because the processors' distance changed during each")
	}
	return nil
}

// brief returns a system's name and, in brackets, the first line of the text of its error.
func brief(name string, err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Sprintf("%s (%s)", name, strings.TrimPrefix(strings.TrimSuffix(first, "; it said:"), name+": "))
}

// heat starts the hogs and the systems of a heat, measures these, and stops all before it returns.
// The folder must not exist.
func (r *rivalry) heat(ctx context.Context, h heat, folder string) (err error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	var busy []int
	for i := range h.hogs {
		cpu := h.cpus[i%len(h.cpus)]
		if h.free {
			cpu = -1
		}
		busy = append(busy, cpu)
	}
	herd, err := hog.Start(h.self, []string{"bench", "--hog"}, busy)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, herd.Stop()) }()
	session := r.session
	session.Batch, session.Unsteady = h.batch, h.sharing()
	for i, s := range h.systems {
		// MPI launchers create their temporary files in TMPDIR.
		s.Env = append(slices.Clone(s.Env), "TMPDIR="+folder)
		running, err := peers.Start(ctx, s, filepath.Join(folder, fmt.Sprint(i)))
		if err != nil && s.Over != "" && ctx.Err() == nil {
			// Not every library can use every provider.
			r.report.Missing = append(r.report.Missing, brief(s.Name, err))
			session.Running = append(session.Running, nil)
			continue
		}
		if err != nil {
			return err
		}
		session.Running = append(session.Running, running)
	}
	defer func() {
		for _, s := range session.Running {
			if s != nil {
				s.Stop()
			}
		}
	}()
	for _, one := range h.cases {
		first := len(r.report.Rows)
		if err := r.compare(ctx, session, one); err != nil {
			return err
		}
		for i := range r.report.Rows[first:] {
			r.report.Rows[first+i].Hogs = h.hogs
		}
	}
	return nil
}

// compare measures a case. A library that fails over its provider, and a system that does not
// answer in time, is left out of this case and the next ones, and the report says why.
func (r *rivalry) compare(ctx context.Context, session peers.Session, c peers.Case) error {
	var timedOut []peers.Row
	for {
		c.Methods = slices.DeleteFunc(slices.Clone(c.Methods), func(m peers.Method) bool { return session.Running[m.System] == nil })
		rows, dropped, err := session.Measure(ctx, c)
		if failed := (*peers.FailedError)(nil); errors.As(err, &failed) {
			at := slices.IndexFunc(session.Running, func(s *peers.Running) bool { return s != nil && s.Name == failed.System })
			one := session.Running[at]
			if failed.TimedOut {
				timedOut = append(timedOut, peers.Row{Op: c.Op, Size: c.Size, Ranks: one.Ranks, System: one.Name, Own: one.Own, TimedOut: true})
			} else if one.Over != "" {
				r.report.Missing = append(r.report.Missing, brief(one.Name, err))
			}
			if failed.TimedOut || one.Over != "" {
				session.Running[at] = nil
				continue
			}
		}
		if err != nil {
			return err
		}
		r.report.Rows = append(append(r.report.Rows, rows...), timedOut...)
		r.report.Dropped += dropped
		return nil
	}
}
