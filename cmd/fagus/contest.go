package main

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// contest is versions that are to run the same programs.
type contest struct {
	versions []version
	repeat   int
	place    placement // without what the versions set
}

// contestFlags are the versions, and where they run.
func contestFlags(what string) []cli.Flag {
	const where = "where it runs"
	return append([]cli.Flag{
		&cli.StringFlag{Name: "versions", Category: what, DefaultText: "all that can run there", Usage: "only these `NAMES`, with commas between: " + versionNames(versions())},
		&cli.IntFlag{Name: "repeat", Category: what, DefaultText: "1 in virtual time, which is exact; else 5", Usage: "medians of so many `RUNS`"},
		&cli.IntFlag{Name: "nodes", Category: where, Value: 2, Usage: "number of `NODES`"},
		&cli.StringFlag{Name: "net", Category: where, Value: netDIMMnet1, Usage: "network: " + netDIMMnet1 + " (simulated, virtual time; UDP-Fagus has its own) or " + netInproc + " (goroutines, wall time)"},
		&cli.StringFlag{Name: "env", Category: where, Value: sim.DefaultEnv, Usage: "machine of a simulated network: " + strings.Join(sim.Envs(), ", ")},
		&cli.Uint64Flag{Name: "seed", Category: where, Usage: "random input comes from `SEED`; other than 0 it also gives random delays in a simulated network, to each repetition others"},
		timeoutFlag(where),
	}, faultFlags()...)
}

// newContest reads the flags.
func newContest(c *cli.Context) (*contest, error) {
	if err := checkPlacement(c); err != nil {
		return nil, err
	}
	t := &contest{
		repeat: c.Int("repeat"),
		place:  placement{nodes: c.Int("nodes"), mode: fagus.Phase, net: c.String("net"), env: c.String("env"), seed: c.Uint64("seed")},
	}
	if t.place.net == netUDP100 {
		return nil, usagef("--net %s is the network of UDP-Fagus alone: use --versions UDP-Fagus", netUDP100)
	}
	if t.place.nodes > mostRings {
		return nil, usagef("--nodes %d: more than %d take hours", t.place.nodes, mostRings)
	}
	if t.repeat < 0 || c.IsSet("repeat") && t.repeat == 0 {
		return nil, usagef("--repeat %d: want at least 1", t.repeat)
	}
	var err error
	if t.versions, err = pickVersions(versions(), c.String("versions"), &t.place); err != nil {
		return nil, err
	}
	if t.place.faults, err = readFaults(c, t.overUDP() != "", "UDP-Fagus among --versions"); err != nil {
		return nil, err
	}
	for _, v := range t.versions { // finds mistakes now
		p := t.place
		v.set(&p)
		if err := p.connect(false); err != nil {
			return nil, err
		}
	}
	if err := t.place.connect(false); err != nil {
		return nil, err
	}
	if t.repeat == 0 {
		t.repeat = 5
		if t.place.network.Clock() == dimmnet.Virtual {
			t.repeat = 1
		}
	}
	return t, nil
}

// overUDP is the version that sends datagrams; empty if there is none.
func (t *contest) overUDP() string {
	for _, v := range t.versions {
		p := t.place
		if v.set(&p); p.net == netUDP100 {
			return v.name
		}
	}
	return ""
}

// setting says what was run where, and how often.
type setting struct {
	App    string        `json:"app"`
	Nodes  int           `json:"nodes"`
	Net    string        `json:"net"`
	Env    string        `json:"env,omitempty"`
	Seed   uint64        `json:"seed"`
	Clock  dimmnet.Clock `json:"clock"`
	Repeat int           `json:"repeat"`
	// CPUs is how many a node has; on a wall clock how many all have together.
	CPUs int `json:"cpus"`
	// Faults are of the network of the version overUDP; nil if there is none.
	*faults
	overUDP string
}

func (t *contest) setting(app string) setting {
	p := &t.place
	cpus := runtime.NumCPU()
	if p.sim != nil {
		cpus = p.sim.Preset().Host.CPUs
	}
	s := setting{App: app, Nodes: p.nodes, Net: p.net, Env: p.env, Seed: p.seed, Clock: p.network.Clock(), Repeat: t.repeat, CPUs: cpus}
	if s.overUDP = t.overUDP(); s.overUDP != "" {
		s.faults = &p.faults
	}
	return s
}

// cpusText says how many CPUs there are for whom.
func (s *setting) cpusText() string {
	text := "a CPU"
	if s.CPUs > 1 {
		text = fmt.Sprintf("%d CPUs", s.CPUs)
	}
	if s.Clock == dimmnet.Virtual {
		return text + " a node"
	}
	return text + " for all nodes"
}

// where says it in words.
func (s *setting) where() string {
	text := fmt.Sprintf("%s on %s, %s", s.App, nodesText(s.Nodes), s.Net)
	if s.Env != "" {
		text += ", env " + s.Env
	}
	if s.faults != nil && s.faults.inBrackets() != "" {
		text += fmt.Sprintf(", %s on %s%v", s.overUDP, netUDP100, s.faults.inBrackets())
	}
	runs := "one run each"
	if s.Repeat > 1 {
		runs = fmt.Sprintf("medians of %d runs, ± the farthest of them", s.Repeat)
	}
	return fmt.Sprintf("%s, %s, seed %d (%s time, %s)", text, s.cpusText(), s.Seed, s.Clock, runs)
}

// inTurn lets every version do every one of count things, in turn, as often as it
// shall: so what disturbs the machine for a while disturbs all versions. Another one
// begins each time. The runs are by thing, by version, and by round.
func (t *contest) inTurn(count int, do func(p *placement, v version, at, round int) (*runReport, error)) ([][][]*runReport, error) {
	if t.place.net == netInproc {
		// A processor of Go's for every thread: else one that polls would keep its for 10
		// ms at a time, and the operating system had nothing to share out.
		const threads = 4 // of a node
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), threads*t.place.nodes)))
	}
	runs := make([][][]*runReport, count)
	for at := range runs {
		runs[at] = make([][]*runReport, len(t.versions))
	}
	for round := range t.repeat {
		for at := range runs {
			for i := range t.versions {
				i = (i + round) % len(t.versions)
				p := t.place
				if p.seed != 0 {
					p.seed += uint64(round)
				}
				t.versions[i].set(&p)
				r, err := do(&p, t.versions[i], at, round)
				if err != nil {
					return nil, err
				}
				runs[at][i] = append(runs[at][i], r)
			}
		}
	}
	return runs, nil
}

// parseCounts reads the numbers of a flag, with commas between, and sorts them.
func parseCounts(flag, text string) (counts []int, err error) {
	for _, item := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(item))
		if err != nil {
			return nil, usagef("--%s %q: want numbers with commas between", flag, text)
		}
		counts = append(counts, n)
	}
	slices.Sort(counts)
	return slices.Compact(counts), nil
}
