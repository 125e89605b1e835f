package contest

import (
	"context"
	"fmt"
	"runtime"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/experiment"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/program/cmdline"
	"github.com/fagus-dsm/fagus/fagus/program/runflags"
	"github.com/fagus-dsm/fagus/fagus/program/usage"
)

// MostRings is the largest number of nodes in a contest. The rings of 745 nodes fit an LLCM, but
// simulating more than MostRings nodes takes hours.
const MostRings = 256

// Contest is a set of versions of Fagus that run the same programs under the same conditions.
type Contest struct {
	Versions []Version
	Repeat   int             // number of rounds
	Config   runflags.Config // the common configuration; each version changes a copy

	udp   string // the version that sends datagrams; "" if there is none
	cpus  int
	apart bool // each run is a process of its own
}

// Runs says where the runs of a contest take place.
type Runs uint8

// The places.
const (
	Inside Runs = iota // in this process: no network of processes
	Either             // in this process, or on a network of processes in processes of their own
	Apart              // always in processes of their own: those of a program of one's own
)

func (r Runs) networks() runflags.List {
	list := runflags.Named(runflags.DIMMnet1, runflags.DIMMnet2, runflags.Inproc)
	if r != Inside {
		list = append(list, runflags.OfProcesses()...)
	}
	return list
}

// Flags returns the flags that New reads. category is their heading in the help text.
func Flags(category string, r Runs) []cli.Flag {
	const where = "where it runs"
	return append([]cli.Flag{
		&cli.StringFlag{Name: "versions", Category: category, DefaultText: "all that can run there", Usage: "compare only these `NAMES`, with commas between: " + names(versions())},
		&cli.IntFlag{Name: "repeat", Category: category, DefaultText: "1 in virtual time, which is exact; else 5", Usage: "medians of `N` runs"},
		&cli.IntFlag{Name: "nodes", Category: where, Value: 2, Usage: "number of `NODES`"},
		&cli.StringFlag{Name: "net", Category: where, Value: runflags.DIMMnet1, Usage: r.networks().Usage() + "; UDP-Fagus has a network of its own"},
		cmdline.Flag(runflags.EnvFlag(where, "machine of a simulated network")),
		cmdline.Flag(runflags.HostCostFlag(where)),
		&cli.Uint64Flag{Name: "seed", Category: where, Usage: "`SEED` of generated input; other than 0 it also makes the delays of a simulated network random, differently in each round"},
		cmdline.Flag(runflags.TimeoutFlag(where)),
	}, cmdline.Flags(runflags.FaultFlags()...)...)
}

// New returns the contest that the flags describe.
func New(c *cli.Context, r Runs) (*Contest, error) {
	if c.String("net") == runflags.UDP100 {
		return nil, usage.Errorf("--net %s is the network of UDP-Fagus alone, which has it without --net: use --versions UDP-Fagus, and leave out --net", runflags.UDP100)
	}
	cfg, err := runflags.Basics(cmdline.Line(c), r.networks())
	if err != nil {
		return nil, err
	}
	if cfg.Nodes > MostRings {
		return nil, usage.Errorf("--nodes %d: more than %d take hours", cfg.Nodes, MostRings)
	}
	t := &Contest{Repeat: c.Int("repeat"), cpus: runtime.NumCPU(), apart: r == Apart || cfg.Network.Processes}
	if t.Repeat < 0 || c.IsSet("repeat") && t.Repeat == 0 {
		return nil, usage.Errorf("--repeat %d: want at least 1", t.Repeat)
	}
	if t.Repeat == 0 {
		t.Repeat = 5
		if cfg.Network.Simulated {
			t.Repeat = 1
		}
	}
	if t.Versions, err = pick(versions(), c.String("versions"), entry{&cfg, t.apart}); err != nil {
		return nil, err
	}
	for i := range t.Versions {
		v := &t.Versions[i]
		if cfg.Network.Processes && v.Role == RolePhase {
			v.About = "compute and communication phases" // without an LLCM
		}
		if v.Config(cfg).Network.Datagrams {
			t.udp = v.Name
		}
	}
	if cfg.Faults, err = runflags.ReadFaults(cmdline.Line(c), t.udp != "", "UDP-Fagus among --versions"); err != nil {
		return nil, err
	}
	t.Config = cfg
	if cfg.Network.Processes {
		return t, nil // they join when they run
	}
	for _, v := range t.Versions { // find mistakes before the first run
		if _, err := v.Config(cfg).Open(c.Context); err != nil {
			return nil, err
		}
	}
	on, err := cfg.Open(c.Context)
	if err == nil && on.Sim != nil {
		t.cpus = on.Sim.Preset().Host.CPUs
	}
	return t, err
}

// Setting describes the program, the machine and the number of rounds of a contest.
type Setting struct {
	App   string `json:"app"`
	Nodes int    `json:"nodes"`
	Net   string `json:"net"`
	Env   string `json:"env,omitempty"`
	// HostCost is what --host-cost says, "" if it is on.
	HostCost string `json:"host_cost,omitempty"`

	Seed   uint64        `json:"seed"`
	Clock  dimmnet.Clock `json:"clock"`
	Repeat int           `json:"repeat"`
	// CPUs is the number of processors per node; on a wall clock, of all nodes together.
	CPUs int `json:"cpus"`
	// Faults are the faults of the network of version udp; nil if no version sends datagrams.
	*runflags.Faults
	udp string
}

// Setting returns the setting in which the contest runs a program.
func (t *Contest) Setting(app string) Setting {
	cfg, clock := &t.Config, dimmnet.Wall
	if cfg.Network.Simulated {
		clock = dimmnet.Virtual
	}
	s := Setting{App: app, Nodes: cfg.Nodes, Net: cfg.Network.Name, Env: cfg.Env, HostCost: cfg.HostCost, Seed: cfg.Seed, Clock: clock, Repeat: t.Repeat, CPUs: t.cpus, udp: t.udp}
	if t.udp != "" {
		s.Faults = &cfg.Faults
	}
	return s
}

// CPUsText returns the number of processors in words, per node or for all nodes together.
func (s *Setting) CPUsText() string {
	text := "a CPU"
	if s.CPUs > 1 {
		text = fmt.Sprintf("%d CPUs", s.CPUs)
	}
	if s.Clock == dimmnet.Virtual {
		return text + " a node"
	}
	return text + " for all nodes"
}

// Where describes the setting in words.
func (s *Setting) Where() string {
	text := fmt.Sprintf("%s on %s, %s", s.App, runflags.NodesText(s.Nodes), s.Net)
	if s.Env != "" {
		text += ", env " + s.Env + runflags.HostCostText(s.HostCost)
	}
	if s.Faults != nil && s.Faults.Text() != "" {
		text += fmt.Sprintf(", %s on %s%v", s.udp, runflags.UDP100, s.Faults.Text())
	}
	return fmt.Sprintf("%s, %s, seed %d (%s time, %s)", text, s.CPUsText(), s.Seed, s.Clock, experiment.RunsText(s.Repeat))
}

// Limit returns c's context with the limit of --timeout. Runs in this process may compute for long
// without a poll: the process then ends all the same. Runs that are processes have longer to end.
func (t *Contest) Limit(c *cli.Context) (limited context.Context, end func()) {
	if t.apart {
		return runflags.WithTimeout(c.Context, t.Config.Timeout)
	}
	return t.Config.Limit(cmdline.Line(c), "the runs have not begun")
}

// InTurn calls do for each of count items with each version of t, in every round. The versions take
// turns, and each round begins with another version. Results are indexed [item][version][round].
// name says what runs.
func InTurn[R any](t *Contest, count int, name func(v Version, item int) string, do func(cfg runflags.Config, v Version, item, round int) (R, error)) ([][][]R, error) {
	if !t.Config.Network.Simulated && !t.apart {
		// GOMAXPROCS must not be less than the number of threads: otherwise a polling goroutine
		// keeps other goroutines off its thread for 10 ms at a time.
		const threads = 4 // per node
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), threads*t.Config.Nodes)))
	}
	runs := make([][][]R, count)
	for item := range runs {
		runs[item] = make([][]R, len(t.Versions))
	}
	// The versions of an item run one after the other: what is compared is near in time.
	for round := range t.Repeat {
		for item := range runs {
			for i := range t.Versions {
				v := (i + round) % len(t.Versions)
				cfg := t.Config
				if cfg.Seed != 0 {
					cfg.Seed += uint64(round)
				}
				cfg, what := t.Versions[v].Config(cfg), name(t.Versions[v], item)
				cfg.Running(what)
				r, err := do(cfg, t.Versions[v], item, round)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", what, err)
				}
				runs[item][v] = append(runs[item][v], r)
			}
		}
	}
	return runs, nil
}
