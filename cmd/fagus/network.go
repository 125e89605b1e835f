package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/dimmnet2"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// The networks that --net knows.
const (
	netDIMMnet1 = "dimmnet1"
	netDIMMnet2 = "dimmnet2"
	netUDP100   = "udp100"
	netInproc   = "inproc"
)

// placement is where a program runs: the flags that all programs share.
type placement struct {
	nodes int
	mode  fagus.Engine
	net   string
	by    fagus.Transfer
	// notices lets the receive threads of Threaded sleep until they are told.
	notices bool
	// poll lets idle threads of inproc poll as those of a simulated NIC do.
	poll   bool
	env    string
	faults faults // of the UDP network
	seed   uint64
	limit  time.Duration // of real time; 0 means none
	log    *slog.Logger
	check  fagus.Check
	rolls  fagus.RollCall
	place  fagus.Placement
	// history, if not nil, gets what the ranks do.
	history *history.History

	launches bool       // this process is no rank: it starts them
	insecure bool       // hosts encrypt nothing
	rank     int        // of this process, if there are others
	job      membership // of this process; nil: all ranks are here

	network dimmnet.Network
	sim     simulation   // the same, if it is simulated
	trace   []sim.Record // its changes of state, if they are kept
}

// simulation is a network in virtual time.
type simulation interface {
	dimmnet.Network
	Result() sim.Result
	Preset() sim.Preset
}

func placementFlags() []cli.Flag {
	const category = "where it runs"
	return append([]cli.Flag{
		&cli.IntFlag{Name: "nodes", Category: category, Value: 2, Usage: "number of `NODES`"},
		&cli.StringFlag{Name: "mode", Category: category, Value: fagus.Phase.String(), Usage: "engine: phase (compute and communication phases, D1-Fagus2) or threaded (helper threads, D1-Fagus; on udp100 UDP-Fagus)"},
		&cli.BoolFlag{Name: "notices", Category: category, Usage: "with --mode threaded: receive threads sleep until a notice (TCP) instead of polling"},
		&cli.StringFlag{Name: "net", Category: category, Value: netDIMMnet1, Usage: netUsage + "; or " + jobsUsage},
		&cli.StringFlag{Name: "transfer", Category: category, Value: fagus.Auto.String(), Usage: "how data go: rings (slots in the LLCM), push (bulk memory to bulk memory), or auto (push where the network has it and the data are large; rings on inproc, and with --mode threaded always)"},
		&cli.StringFlag{Name: "placement", Category: category, Value: fagus.PlaceAuto.String(), Usage: "copies of arrays: private (one a rank), shared (one for all, on inproc and shm), or auto (shared on shm in phase mode)"},
		&cli.StringFlag{Name: "env", Category: category, Value: sim.DefaultEnv, Usage: "machine of a simulated network: " + strings.Join(sim.Envs(), ", ")},
		&cli.Uint64Flag{Name: "seed", Category: category, Usage: "random input comes from `SEED`; other than 0 it also gives random delays in a simulated network"},
		&cli.BoolFlag{Name: "verify-history", Category: category, Usage: "record what every rank acquires and releases, and hold it against the axioms of entry consistency"},
		&cli.BoolFlag{Name: "check", Category: category, Usage: "watch the program's accesses: one without the variable that it needs ends the run with its line; advice is printed in the end (Linux)"},
		&cli.BoolFlag{Name: "strict", Category: category, Usage: "with --check: what Update brought may be read only until the next Acquire"},
		&cli.BoolFlag{Name: "verbose", Category: category, Usage: "log every Acquire, Release, Update and Barrier of every rank to standard error"},
		rollCallFlag(category),
		timeoutFlag(category),
	}, append(faultFlags(), hostFlags()...)...)
}

const netUsage = "network: dimmnet1 (simulated, virtual time), dimmnet2 (its successor on InfiniBand), udp100 (the same machines on UDP over 100BASE-TX) or inproc (goroutines, wall time)"

func timeoutFlag(category string) cli.Flag {
	return &cli.DurationFlag{Name: "timeout", Category: category, DefaultText: "none", Usage: "give up after so much real time (exit code 124)"}
}

// checkPlacement reports flags that no run can have.
func checkPlacement(c *cli.Context) error {
	if err := checkTimeout(c); err != nil {
		return err
	}
	if n := c.Int("nodes"); n < 1 || n > dimmnet.MaxNodes {
		return usagef("--nodes %d: want 1 to %d", n, dimmnet.MaxNodes)
	}
	if net := c.String("net"); (net == netInproc || net == netShm || overSockets(net)) && c.IsSet("env") {
		return usagef("--env describes a simulated machine: use it with --net %s, %s or %s", netDIMMnet1, netDIMMnet2, netUDP100)
	}
	return nil
}

// checkTimeout reports a --timeout that is over at once.
func checkTimeout(c *cli.Context) error {
	if limit := c.Duration("timeout"); limit < 0 || c.IsSet("timeout") && limit == 0 {
		return usagef("--timeout %v: want more than 0", limit)
	}
	return nil
}

// withLimit bounds ctx by so much real time; 0 means no bound.
func withLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, overTime(limit))
}

// overTime is the end of a run that has taken so long.
type overTime time.Duration

// Error names the flag.
func (o overTime) Error() string { return fmt.Sprintf("the --timeout of %v is over", time.Duration(o)) }

// Is says that it is a deadline's.
func (o overTime) Is(target error) bool { return target == context.DeadlineExceeded }

// place reads the flags. keepTrace keeps a simulated network's changes of state.
func place(c *cli.Context, keepTrace bool) (*placement, error) {
	p := &placement{
		nodes: c.Int("nodes"),
		net:   c.String("net"),
		env:   c.String("env"),
		seed:  c.Uint64("seed"),
		limit: c.Duration("timeout"),

		insecure: c.Bool("insecure"),
	}
	if err := checkPlacement(c); err != nil {
		return nil, err
	}
	if c.Bool("verify-history") {
		p.history = history.New()
	}
	if c.Bool("verbose") {
		p.log = slog.New(slog.NewTextHandler(c.App.ErrWriter, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	var err error
	if p.check, err = checkFlag(c); err != nil {
		return nil, err
	}
	if p.rolls, err = rollCallOf(c); err != nil {
		return nil, err
	}
	if p.place, err = placementFlag(c.String("placement")); err != nil {
		return nil, err
	}
	if p.faults, err = readFaults(c, p.net == netUDP100, "--net "+netUDP100); err != nil {
		return nil, err
	}
	if p.mode, err = modeFlag(c.String("mode")); err != nil {
		return nil, err
	}
	if p.by, err = transferFlag(c.String("transfer")); err != nil {
		return nil, err
	}
	if p.net == netUDP100 && p.by == fagus.Push {
		return nil, usagef("--net %s has no PUSH: use --transfer %v or %v", netUDP100, fagus.Rings, fagus.Auto)
	}
	if p.mode == fagus.Threaded && p.by == fagus.Push {
		return nil, usagef("--mode %v moves data by %v: use --transfer %v or %v", p.mode, fagus.Rings, fagus.Rings, fagus.Auto)
	}
	if p.notices = c.Bool("notices"); p.notices && p.mode != fagus.Threaded {
		return nil, usagef("--notices are for --mode %v", fagus.Threaded)
	}
	if err := errors.Join(checkHosts(c), p.checkCopies()); err != nil {
		return nil, err
	}
	switch p.net {
	case netShm, netTCP, netQUIC:
		return p, p.join(c.Context, c.IsSet("nodes"))
	case netDIMMnet1, netDIMMnet2, netUDP100, netInproc:
		return p, p.connect(keepTrace)
	}
	return nil, usagef("--net %q: want %s, %s, %s, %s, %s, %s or %s", p.net, netDIMMnet1, netDIMMnet2, netUDP100, netInproc, netShm, netTCP, netQUIC)
}

// checkCopies reports flags about the memory of ranks that do not go together.
func (p *placement) checkCopies() error {
	apart := p.net == netShm || overSockets(p.net)
	switch {
	case p.history != nil && apart:
		return usagef("--verify-history needs all ranks in one process: use it with --net %s, %s or %s", netDIMMnet1, netUDP100, netInproc)
	case p.place != fagus.PlaceShared:
		return nil
	case p.history != nil || p.check != fagus.CheckOff:
		return usagef("--check and --verify-history need private copies: use --placement %v", fagus.PlacePrivate)
	case p.net != netInproc && p.net != netShm:
		return usagef("--placement %v needs ranks that have the same memory: use it with --net %s or %s", p.place, netInproc, netShm)
	}
	return nil
}

// checkFlag reads --check and --strict.
func checkFlag(c *cli.Context) (fagus.Check, error) {
	switch {
	case c.Bool("check") && c.Bool("strict"):
		return fagus.CheckStrict, nil
	case c.Bool("check"):
		return fagus.CheckOn, nil
	case c.Bool("strict"):
		return 0, usagef("--strict says how to check: use it with --check")
	}
	return fagus.CheckOff, nil
}

// connect makes the network that p describes. keepTrace keeps a simulated
// network's changes of state.
func (p *placement) connect(keepTrace bool) error {
	switch p.net {
	case netInproc:
		p.env = ""
		var cfg inproc.Config
		if p.by == fagus.Push {
			cfg.Bulk = inprocBulk
		}
		if p.poll {
			cfg.Poll = inprocPoll
		}
		p.network = inproc.New(cfg)
		return nil
	case netDIMMnet1, netDIMMnet2, netUDP100:
		cfg := sim.Config{Env: p.env, Seed: p.seed}
		if p.net == netUDP100 {
			udp := sim.UDP(p.faults)
			cfg.UDP = &udp
		}
		if keepTrace {
			cfg.Trace = func(r sim.Record) {
				if r.Note != "" {
					p.trace = append(p.trace, r)
				}
			}
		}
		var err error
		if p.net == netDIMMnet2 {
			p.sim, err = dimmnet2.New(cfg, dimmnet2.Default())
		} else {
			p.sim, err = sim.New(cfg)
		}
		if err != nil {
			return &usageError{err}
		}
		p.network = p.sim
		return nil
	}
	return usagef("--net %q: want %s, %s or %s", p.net, netDIMMnet1, netUDP100, netInproc)
}

// inprocBulk is the bulk memory of a goroutine's node, in bytes, for those who ask
// for it: it is one copy more.
const inprocBulk = 16 << 20

// inprocPoll is longer than any compute phase of a comparison.
const inprocPoll = time.Minute

func modeFlag(s string) (fagus.Engine, error) {
	for _, e := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
		if s == e.String() {
			return e, nil
		}
	}
	return 0, usagef("--mode %q: want %v or %v", s, fagus.Phase, fagus.Threaded)
}

func placementFlag(s string) (fagus.Placement, error) {
	places := []fagus.Placement{fagus.PlaceAuto, fagus.PlacePrivate, fagus.PlaceShared}
	for _, place := range places {
		if s == place.String() {
			return place, nil
		}
	}
	return 0, usagef("--placement %q: want %v, %v or %v", s, places[0], places[1], places[2])
}

func transferFlag(s string) (fagus.Transfer, error) {
	ways := []fagus.Transfer{fagus.Auto, fagus.Rings, fagus.Push}
	for _, t := range ways {
		if s == t.String() {
			return t, nil
		}
	}
	return 0, usagef("--transfer %q: want %v, %v or %v", s, ways[0], ways[1], ways[2])
}

// config is what Run needs.
func (p *placement) config() fagus.Config {
	return fagus.Config{Nodes: p.nodes, Net: p.network, Mode: p.mode, Transfer: p.by, Notices: p.notices, History: p.history, Check: p.check, RollCall: p.rolls, Placement: p.place, Log: p.log}
}

// String says in words where the program runs.
func (p *placement) String() string {
	mode, net := fmt.Sprintf("%v mode", p.mode), p.net
	if p.notices {
		mode += " with notices"
	}
	if f := p.udpFaults(); f != nil {
		net += f.inBrackets()
	}
	if p.sim == nil {
		return fmt.Sprintf("%s, %s, %s, seed %d (wall time)", nodesText(p.nodes), mode, net, p.seed)
	}
	return fmt.Sprintf("%s, %s, %s, env %s, seed %d (virtual time)", nodesText(p.nodes), mode, net, p.env, p.seed)
}

func nodesText(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}
