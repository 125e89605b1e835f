package main

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// The networks that --net knows.
const (
	netDIMMnet1 = "dimmnet1"
	netInproc   = "inproc"
)

// placement is where a program runs: the flags that all programs share.
type placement struct {
	nodes int
	mode  fagus.Engine
	net   string
	by    fagus.Transfer
	env   string
	seed  uint64
	limit time.Duration // of real time; 0 means none
	log   *slog.Logger

	network dimmnet.Network
	sim     *sim.Network // the same, if it is simulated
	trace   []sim.Record // its changes of state, if they are kept
}

func placementFlags() []cli.Flag {
	const category = "where it runs"
	return []cli.Flag{
		&cli.IntFlag{Name: "nodes", Category: category, Value: 2, Usage: "number of `NODES`"},
		&cli.StringFlag{Name: "mode", Category: category, Value: fagus.Phase.String(), Usage: "engine: phase (compute and communication phases, D1-Fagus2) or threaded (helper threads, D1-Fagus; with --net inproc)"},
		&cli.StringFlag{Name: "net", Category: category, Value: netDIMMnet1, Usage: "network: dimmnet1 (simulated, virtual time) or inproc (goroutines, wall time)"},
		&cli.StringFlag{Name: "transfer", Category: category, Value: fagus.Auto.String(), Usage: "how data go: rings (slots in the LLCM), push (bulk memory to bulk memory), or auto (push where the network has it and the data are large; rings on inproc)"},
		&cli.StringFlag{Name: "env", Category: category, Value: sim.DefaultEnv, Usage: "machine of a simulated network: " + strings.Join(sim.Envs(), ", ")},
		&cli.Uint64Flag{Name: "seed", Category: category, Usage: "random input comes from `SEED`; other than 0 it also gives random delays in a simulated network"},
		&cli.BoolFlag{Name: "verbose", Category: category, Usage: "log every collective call of every rank to standard error"},
		&cli.DurationFlag{Name: "timeout", Category: category, DefaultText: "none", Usage: "give up after so much real time (exit code 124)"},
	}
}

// place reads the flags. keepTrace keeps a simulated network's changes of state.
func place(c *cli.Context, keepTrace bool) (*placement, error) {
	p := &placement{
		nodes: c.Int("nodes"),
		net:   c.String("net"),
		env:   c.String("env"),
		seed:  c.Uint64("seed"),
		limit: c.Duration("timeout"),
	}
	if p.limit < 0 || c.IsSet("timeout") && p.limit == 0 {
		return nil, usagef("--timeout %v: want more than 0", p.limit)
	}
	if c.Bool("verbose") {
		p.log = slog.New(slog.NewTextHandler(c.App.ErrWriter, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if p.nodes < 1 || p.nodes > dimmnet.MaxNodes {
		return nil, usagef("--nodes %d: want 1 to %d", p.nodes, dimmnet.MaxNodes)
	}
	var err error
	if p.mode, err = modeFlag(c.String("mode")); err != nil {
		return nil, err
	}
	if p.by, err = transferFlag(c.String("transfer")); err != nil {
		return nil, err
	}
	if p.mode == fagus.Threaded && p.net != netInproc {
		return nil, usagef("--mode %v: use it with --net %s", p.mode, netInproc)
	}
	if p.mode == fagus.Threaded && p.by == fagus.Push {
		return nil, usagef("--mode %v moves data by %v: use --transfer %v or %v", p.mode, fagus.Rings, fagus.Rings, fagus.Auto)
	}
	switch p.net {
	case netInproc:
		if c.IsSet("env") {
			return nil, usagef("--env describes a simulated machine: use it with --net %s", netDIMMnet1)
		}
		p.env = ""
		var cfg inproc.Config
		if p.by == fagus.Push {
			cfg.Bulk = inprocBulk
		}
		p.network = inproc.New(cfg)
		return p, nil
	case netDIMMnet1:
		cfg := sim.Config{Env: p.env, Seed: p.seed}
		if keepTrace {
			cfg.Trace = func(r sim.Record) {
				if r.Note != "" {
					p.trace = append(p.trace, r)
				}
			}
		}
		s, err := sim.New(cfg)
		if err != nil {
			return nil, &usageError{err}
		}
		p.network, p.sim = s, s
		return p, nil
	}
	return nil, usagef("--net %q: want %s or %s", p.net, netDIMMnet1, netInproc)
}

// inprocBulk is the bulk memory of a goroutine's node, in bytes, for those who ask
// for it: it is one copy more.
const inprocBulk = 16 << 20

func modeFlag(s string) (fagus.Engine, error) {
	for _, e := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
		if s == e.String() {
			return e, nil
		}
	}
	return 0, usagef("--mode %q: want %v or %v", s, fagus.Phase, fagus.Threaded)
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
	return fagus.Config{Nodes: p.nodes, Net: p.network, Mode: p.mode, Transfer: p.by, Log: p.log}
}

// String says in words where the program runs.
func (p *placement) String() string {
	nodes := "1 node"
	if p.nodes > 1 {
		nodes = fmt.Sprintf("%d nodes", p.nodes)
	}
	if p.sim == nil {
		return fmt.Sprintf("%s, %v mode, %s, seed %d (wall time)", nodes, p.mode, p.net, p.seed)
	}
	return fmt.Sprintf("%s, %v mode, %s, env %s, seed %d (virtual time)", nodes, p.mode, p.net, p.env, p.seed)
}
