package runflags

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/capacity"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
	"github.com/fagus-dsm/fagus/fagus/program/cli"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// Config says where and how a program runs. FromFlags returns only valid configurations.
type Config struct {
	fagus.Config // of each run; Target.Run sets its Nodes, Net and Checkpoints

	Network  Network
	Nodes    int
	Env      string // the machine of a simulated network; "" for other networks
	HostCost string // costs of a simulated host: sim.Config.HostCost; "" is on
	Faults   Faults // the faults of a network with datagrams
	Seed     uint64
	// Poll makes idle threads of inproc poll, as threads on a simulated NIC do.
	Poll    bool
	Timeout time.Duration // limit of wall-clock time; 0: no limit
	// Spec says how ranks that are processes meet and exchange data. Ranks read from their
	// environment what it leaves out.
	Spec cluster.Spec

	Checkpoints checkpoints
	Program     string   // checkpoint.Config.Program
	Input       []string // checkpoint.Config.Input

	traceFile string // where Execute writes Trace

	metricsHost string // where Execute serves Meter
	metricsPort int    // of the first rank of a host; 0: a free one

	extras
	replayed *replayed // nil: this process replays no rank

	watch *watch // of Begin; nil: nothing ends the process
	// place is this process's place in a job of processes; nil if it has none. Each process is a
	// rank; on a simulated network the process of rank 0 runs all ranks.
	place *cluster.Place
}

// extras is what is done around a run, or with several runs.
type extras struct {
	progress  progress
	profiles  profiles
	repeating repeating
}

const (
	category  = "where it runs"
	netFlag   = "net"
	nodesFlag = "nodes"
	modeFlag  = "mode"
)

// Flags returns the flags that FromFlags reads.
func Flags() []cli.Flag {
	return flags(defaults{net: DIMMnet1, nodes: 2})
}

// OwnFlags returns the flags that OwnFromFlags reads: the same as Flags, with other defaults.
func OwnFlags() []cli.Flag {
	return flags(defaults{
		netText:   Inproc + "; under a launcher " + SHM + ", or " + TCP + " on several hosts",
		nodesText: "one per processor, at least 2; 2 on a simulated network; under a launcher its number of ranks",
	})
}

// defaults are the values of --net and --nodes, or what their help texts say instead.
type defaults struct {
	net, netText string
	nodes        int
	nodesText    string
}

func flags(d defaults) []cli.Flag {
	return append([]cli.Flag{
		&cli.IntFlag{Name: nodesFlag, Category: category, Value: d.nodes, DefaultText: d.nodesText, Usage: "number of `NODES` (" + nodesVariable + ")"},
		&cli.StringFlag{Name: modeFlag, Category: category, Value: fagus.Phase.String(), Usage: "engine: phase (compute and communication phases, D1-Fagus2) or threaded (locks where ranks share memory; elsewhere helper threads: in the simulator D1-Fagus, on udp100 UDP-Fagus) (" + modeVariable + ")"},
		&cli.BoolFlag{Name: "helpers", Category: category, Usage: "with --mode threaded: the three helper threads of D1-Fagus on every network, instead of one, or of locks on shm and inproc; implied by --notices and --direct"},
		&cli.BoolFlag{Name: "notices", Category: category, Usage: "with --mode threaded: receive threads sleep until a notice (TCP) arrives, instead of polling"},
		&cli.BoolFlag{Name: "direct", Category: category, Usage: "with --mode threaded: take free variables by remote reads and writes, without a message, on 2 to 8 nodes of a network with RDMA; Update requests one variable after the other"},
		&cli.StringFlag{Name: netFlag, Category: category, Value: d.net, DefaultText: d.netText, Usage: Networks().Usage() + " (" + netVariable + ")"},
		&cli.StringFlag{Name: "transfer", Category: category, Value: fagus.Auto.String(), Usage: "how data move: rings (slots in the LLCM), push (bulk memory to bulk memory), or auto (push for large data where the network has it; rings on inproc, and always with --mode threaded)"},
		&cli.StringFlag{Name: "lists", Category: category, Value: fagus.ListsAuto.String(), Usage: "how ranks learn what all want: all (every rank tells every other, as in the papers), tree (where phases that repeat need no lists; the network needs RDMA), or auto (all with few nodes). With --mode threaded: all (owners serve all readers, as in the papers), tree (readers pass data on), or auto (tree with more than 4 simulated nodes, unless --direct)"},
		&cli.StringFlag{Name: "placement", Category: category, Value: fagus.PlaceAuto.String(), Usage: "copies of arrays: private (one per rank), shared (one for all ranks, on inproc and shm), or auto (shared on shm)"},
		EnvFlag(category, "machine of a simulated network"),
		HostCostFlag(category),
		&cli.Uint64Flag{Name: "seed", Category: category, Usage: "`SEED` of generated input; other than 0 it also makes the delays of a simulated network random"},
		&cli.BoolFlag{Name: "verify-history", Category: category, Usage: "record what every rank acquires and releases, and verify that it keeps the axioms of entry consistency"},
		&cli.BoolFlag{Name: "check", Category: category, Usage: "watch the program's accesses: one without the variable that it needs ends the run and names its line; advice follows at the end (Linux)"},
		&cli.BoolFlag{Name: "strict", Category: category, Usage: "with --check: what Update brought may be read only until the next Acquire"},
		metricsFlag(category),
		&cli.BoolFlag{Name: "verbose", Category: category, Usage: "print packets and protocol counters, too, and log every call of every rank to standard error"},
		rollCallFlag(category),
		progressFlag(category),
		TimeoutFlag(category),
		StallFlag(category),
	}, slices.Concat(repeatFlags(category), profileFlags(category), traceFlags(category), recordFlags(category), OptionFlags(category), FaultFlags(), HostFlags(), checkpointFlags())...)
}

// FromFlags reads the flags, and what they leave out from FAGUS_NET, FAGUS_NODES and FAGUS_MODE.
// For a network of processes it also reads the rank of this process from the environment. It does
// not connect to the other ranks.
func FromFlags(c *cli.Context) (Config, error) {
	net, nodes := readNet(c), read(c, nodesFlag, nodesVariable)
	return fromSettings(c, net, nodes, false)
}

// fromSettings reads all flags but --net and --nodes. own is for a program of one's own.
func fromSettings(c *cli.Context, net, nodes setting, own bool) (Config, error) {
	alone, nodes, err := readReplay(nodes)
	if err != nil {
		return Config{}, err
	}
	cfg, err := basics(c, Networks(), net, nodes)
	if err != nil {
		return cfg, err
	}
	cfg.replayed = alone
	cfg.Helpers, cfg.Notices, cfg.Direct = c.Bool("helpers"), c.Bool("notices"), c.Bool("direct")
	if cfg.Spec, err = ReadSpec(c, cfg.Network); err != nil {
		return cfg, err
	}
	if cfg.Checkpoints, err = readCheckpoints(c, cfg.Network); err != nil {
		return cfg, err
	}
	if cfg.Spec.Stall != 0 && !cfg.Network.Processes {
		return cfg, usage.Errorf("--stall is for ranks that are processes: use it with --net %v", Which(processes))
	}
	if c.Bool("verify-history") {
		cfg.History = history.New()
	}
	if err = errors.Join(cfg.readTrace(c), cfg.readRecord(c)); err != nil {
		return cfg, err
	}
	if err = errors.Join(cfg.readMetrics(c), cfg.readProfiles(c)); err != nil {
		return cfg, err
	}
	if c.Bool("verbose") {
		cfg.Log = slog.New(slog.NewTextHandler(c.App.ErrWriter, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if cfg.Check, err = readCheck(c); err != nil {
		return cfg, err
	}
	if cfg.RollCall, err = readRollCall(c); err != nil {
		return cfg, err
	}
	if cfg.progress, err = readProgress(c); err == nil {
		err = cfg.readRepeat(c)
	}
	if err != nil {
		return cfg, err
	}
	if cfg.Faults, err = ReadFaults(c, cfg.Network.Datagrams, "--net "+Which(datagrams).String()); err != nil {
		return cfg, err
	}
	err = errors.Join(ReadMode(c, &cfg.Mode), readText(c, "transfer", &cfg.Transfer), readText(c, "lists", &cfg.Lists), readText(c, "placement", &cfg.Placement))
	if err == nil {
		err = cfg.validate()
	}
	if err == nil && !cfg.Network.Hosts {
		err = NoHostFlags(c, "--net "+cfg.Network.Name+" has none: use it with --net "+Which(hosts).String())
	}
	if err == nil && cfg.replayed != nil {
		cfg.replays()
		return cfg, nil
	}
	if err == nil && !cfg.Network.Processes {
		err = capacity.Processes(0)
	}
	if err == nil && (own || cfg.Network.Processes || os.Getenv(cluster.LineVariable) != "") {
		err = cfg.takePlace(net, nodes)
	}
	if err == nil {
		err = errors.Join(cfg.checkRecord(), cfg.checkProfiles(), cfg.checkRepeat())
	}
	return cfg, err
}

// Basics reads --nodes, --net, --env, --seed and --timeout. --net must be one of networks.
func Basics(c *cli.Context, networks List) (Config, error) {
	return basics(c, networks, read(c, netFlag, ""), read(c, nodesFlag, ""))
}

func basics(c *cli.Context, networks List, net, nodes setting) (Config, error) {
	cfg := Config{Env: c.String("env"), HostCost: ReadHostCost(c), Seed: c.Uint64("seed")}
	var err error
	if cfg.Timeout, err = Timeout(c); err != nil {
		return cfg, err
	}
	cfg.Nodes, err = strconv.Atoi(nodes.value)
	if errors.Is(err, strconv.ErrSyntax) {
		return cfg, usage.Errorf("%s %q: want a whole number, 1 to %d", nodes.source, nodes.value, dimmnet.MaxNodes)
	}
	if err != nil || cfg.Nodes < 1 || cfg.Nodes > dimmnet.MaxNodes {
		return cfg, usage.Errorf("%v: want 1 to %d", nodes, dimmnet.MaxNodes)
	}
	if cfg.Network, err = networks.find(net); err != nil {
		return cfg, err
	}
	if err := notEmpty(c, "env", "host-cost"); err != nil {
		return cfg, err
	}
	if !cfg.Network.Simulated {
		if c.IsSet("env") {
			return cfg, usage.Errorf("--env describes a simulated machine: use it with --net %v", Which(simulated))
		}
		if c.IsSet("host-cost") {
			return cfg, usage.Errorf("--host-cost describes a simulated machine: use it with --net %v", Which(simulated))
		}
		cfg.Env = ""
	}
	return cfg, nil
}

func (cfg *Config) validate() error {
	switch {
	case cfg.Network.Datagrams && cfg.Transfer == fagus.Push:
		return usage.Errorf("--net %s has no PUSH: use --transfer %v or %v", cfg.Network.Name, fagus.Rings, fagus.Auto)
	case cfg.Mode == fagus.Threaded && cfg.Transfer == fagus.Push:
		return usage.Errorf("--mode %v moves data by %v: use --transfer %v or %v", cfg.Mode, fagus.Rings, fagus.Rings, fagus.Auto)
	case cfg.Direct && cfg.Lists == fagus.ListsTree:
		return usage.Errorf("--direct is the papers' protocol: use --lists %v or %v", fagus.ListsAll, fagus.ListsAuto)
	case cfg.Helpers && cfg.Mode != fagus.Threaded:
		return usage.Errorf("--helpers are for --mode %v", fagus.Threaded)
	case cfg.Notices && cfg.Mode != fagus.Threaded:
		return usage.Errorf("--notices are for --mode %v", fagus.Threaded)
	case cfg.Direct && cfg.Mode != fagus.Threaded:
		return usage.Errorf("--direct is for --mode %v", fagus.Threaded)
	case cfg.Placement != fagus.PlaceShared:
		return nil
	case cfg.Check != fagus.CheckOff:
		return usage.Errorf("--check needs private copies: use --placement %v", fagus.PlacePrivate)
	case cfg.History != nil && (cfg.Mode == fagus.Phase || cfg.Helpers || cfg.Notices || cfg.Direct):
		return usage.Errorf("--verify-history needs private copies, except with the locks of --mode %v: use --placement %v", fagus.Threaded, fagus.PlacePrivate)
	case !cfg.Network.OneMemory:
		return usage.Errorf("--placement %v needs ranks that have the same memory: use it with --net %v", cfg.Placement, Which(oneMemory))
	}
	return nil
}

func readCheck(c *cli.Context) (fagus.Check, error) {
	switch {
	case c.Bool("check") && c.Bool("strict"):
		return fagus.CheckStrict, nil
	case c.Bool("check"):
		return fagus.CheckOn, nil
	case c.Bool("strict"):
		return 0, usage.Errorf("--strict says how to check: use it with --check")
	}
	return fagus.CheckOff, nil
}

// takePlace reads from the environment which rank of a job this process is. It takes the number of
// nodes from the launcher, which may change it when it restarts a job. FAGUS_NODES is only a
// default.
func (cfg *Config) takePlace(net, nodes setting) error {
	line := os.Getenv(cluster.LineVariable) != ""
	place, err := cluster.FromEnv(os.LookupEnv)
	if errors.Is(err, cluster.ErrNoJob) && !line {
		return nil
	}
	if err != nil {
		return asUsage(err)
	}
	if simulated := os.Getenv(netVariable); line && simulated != cfg.Network.Name {
		return usage.Errorf("%v: fagus launch has started this process for --net %s: give both the same network", net, simulated)
	}
	if !cfg.Network.Simulated && (line || !cfg.Network.Processes) {
		return usage.Errorf("%v runs all ranks in one process, but this one is rank %d of %d, according to %s: use %v, or start the program without a launcher",
			net, place.Rank, place.Size, place.Source, OfProcesses())
	}
	if nodes.set && cfg.Nodes != place.Size && place.Attempt == 0 {
		return usage.Errorf("--nodes %d: this process is one of %d ranks, according to %s", cfg.Nodes, place.Size, place.Source)
	}
	cfg.place, cfg.Nodes = &place, place.Size
	return nil
}

// Crowded returns a warning if the run has far more nodes than this host has processors, and "" if
// not. A launcher of processes prints the same, and virtual time does not depend on processors.
func (cfg *Config) Crowded() string {
	if cfg.Network.Simulated || cfg.Network.Processes {
		return ""
	}
	return launch.Crowded(cfg.Nodes)
}

// Launches reports whether this process starts the ranks, and is no rank itself.
func (cfg *Config) Launches() bool {
	return cfg.Network.Processes && cfg.place == nil && cfg.replayed == nil
}

func (cfg *Config) isRank() bool { return cfg.Network.Processes && cfg.place != nil }

// Rank returns the rank of this process; 0 if all ranks are in this process.
func (cfg *Config) Rank() int {
	switch {
	case cfg.replayed != nil:
		return cfg.replayed.rank
	case cfg.place == nil:
		return 0
	}
	return cfg.place.Rank
}

// UDPFaults returns the faults of a network with datagrams, and nil for other networks.
func (cfg *Config) UDPFaults() *Faults {
	if !cfg.Network.Datagrams {
		return nil
	}
	return &cfg.Faults
}

// String describes in words where and how the program runs.
func (cfg *Config) String() string {
	mode, net := fmt.Sprintf("%v mode", cfg.Mode), cfg.Network.Name
	switch {
	case cfg.Helpers && !cfg.Notices && !cfg.Direct:
		mode += " with helper threads"
	case cfg.Notices && cfg.Direct:
		mode += " with notices, direct"
	case cfg.Notices:
		mode += " with notices"
	case cfg.Direct:
		mode += ", direct"
	}
	if f := cfg.UDPFaults(); f != nil {
		net += f.Text()
	}
	if !cfg.Network.Simulated {
		return fmt.Sprintf("%s, %s, %s, seed %d (wall time)", NodesText(cfg.Nodes), mode, net, cfg.Seed)
	}
	return fmt.Sprintf("%s, %s, %s, env %s%s, seed %d (virtual time)", NodesText(cfg.Nodes), mode, net, cfg.Env, HostCostText(cfg.HostCost), cfg.Seed)
}

// NodesText returns "1 node", "2 nodes", and so on.
func NodesText(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}
