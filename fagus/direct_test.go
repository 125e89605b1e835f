package fagus_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
)

// directRuntimes returns configurations in which ranks take variables without a message, for runs
// with the given seed.
func directRuntimes(t *testing.T, seed uint64) map[string]fagus.Config {
	t.Helper()
	limit := 100 * dimmnet.Second
	nets := map[string]fagus.Config{
		"sim":            {Net: newSim(t, sim.Config{Limit: limit})},
		"sim, delays":    {Net: newSim(t, sim.Config{Seed: seed, MaxDelay: dimmnet.Time(1+seed%5*100) * dimmnet.Microsecond, Limit: limit})},
		"sim, notices":   {Net: newSim(t, sim.Config{Seed: seed, MaxDelay: 5 * dimmnet.Microsecond, Limit: limit}), Notices: true},
		"inproc":         {Net: goroutines(), Notices: seed%2 == 0},
		"refused posts":  {Net: porttest.Wrap(newSim(t, sim.Config{Seed: seed, Limit: limit}), porttest.Refusing(seed, float64(seed%7)/8))},
		"slow pulls":     {Net: porttest.Wrap(goroutines(), slowPulls(seed))},
		"inproc, shared": {Net: goroutines(), Placement: fagus.PlaceShared},
	}
	if shm.Supported() == nil {
		nets["shm"] = fagus.Config{Net: shm.New(shm.Config{}), Placement: fagus.PlaceShared, Notices: seed%2 == 0}
		nets["tcp"] = fagus.Config{Net: tcp.New(tcp.Config{}), Notices: true}
	}
	if name, net, ok := fabric(seed); ok {
		nets[name] = fagus.Config{Net: net, Notices: seed%2 == 0}
	}
	for name, cfg := range nets {
		cfg.Mode, cfg.Direct = fagus.Threaded, true
		nets[name] = cfg
	}
	return concurrent(nets)
}

// slowPulls delays Pulls by some polls. Everything else overtakes them.
func slowPulls(seed uint64) func(dimmnet.Port) dimmnet.Port {
	return func(p dimmnet.Port) dimmnet.Port {
		return &slowPuller{Port: p, random: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
	}
}

type slowPuller struct {
	dimmnet.Port
	random *rand.Rand
	held   []func() bool
}

func (p *slowPuller) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.held = append(p.held, func() bool { return p.Port.Pull(src, from, to, n, done) })
	return true
}

func (p *slowPuller) Load(off dimmnet.Offset) uint64 {
	if len(p.held) > 0 && p.random.IntN(10) == 0 {
		p.pull()
	}
	return p.Port.Load(off)
}

func (p *slowPuller) Idle(since dimmnet.Mark) {
	if len(p.held) == 0 {
		p.Port.Idle(since)
		return
	}
	p.pull()
}

func (p *slowPuller) pull() {
	if p.held[0]() {
		p.held = p.held[1:]
	}
}

// lockTable checks what ranks see under locks, each of which guards a counter.
type lockTable struct {
	exclusive, shared, added [4]atomic.Int64
}

// program lets a rank acquire random locks. Of the exclusive tenures few change anything, so that
// most locks can be taken from their owner without a message.
func (l *lockTable) program(seed uint64, uses int) func(*fagus.Node) error {
	return func(n *fagus.Node) error {
		counts, guards, err := counters(n, len(l.added))
		if err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(seed, uint64(n.Rank())))
		locks := 1 + int(seed)%len(l.added)
		var used [4]bool
		for range uses {
			i, kind := r.IntN(locks), r.IntN(8)
			access, held := fagus.Exclusive, &l.exclusive[i]
			if kind == 0 {
				access, held = fagus.Shared, &l.shared[i]
			}
			used[i] = true
			spend := fagus.Time(r.IntN(30)) * fagus.Microsecond
			var wrong error
			err := tenure(n, n.Set(fagus.Want(guards[i], access)), func() {
				held.Add(1)
				n.Spend(spend)
				if x, s := l.exclusive[i].Load(), l.shared[i].Load(); x > 1 || x == 1 && s > 0 {
					wrong = fmt.Errorf("lock %d is held exclusively by %d ranks and shared by %d", i, x, s)
				}
				if got, want := counts.Slice()[i], l.added[i].Load(); got != want {
					wrong = fmt.Errorf("rank %d: counter %d is %d, want %d", n.Rank(), i, got, want)
				}
				if kind == 1 {
					counts.Slice()[i]++
					l.added[i].Add(1)
				}
				held.Add(-1)
			})
			if err == nil {
				err = wrong
			}
			if err == nil && r.IntN(20) == 0 {
				n.Spend(fagus.Time(r.IntN(200)) * fagus.Microsecond)
			}
			if err != nil {
				return err
			}
		}
		if err := n.Update(); err != nil {
			return err
		}
		for i := range locks {
			if got, want := counts.Slice()[i], l.added[i].Load(); got != want && used[i] {
				return fmt.Errorf("rank %d: after Update counter %d is %d, want %d", n.Rank(), i, got, want)
			}
		}
		return nil
	}
}

// TestDirectLocks checks mutual exclusion and the propagation of data while ranks take variables
// from each other.
func TestDirectLocks(t *testing.T) {
	longtest.Third(t)
	takes, runs := make(map[string]uint64), make(map[string]uint64)
	for seed := uint64(1); seed <= cases(60, 9); seed++ {
		for name, cfg := range directRuntimes(t, seed) {
			cfg.Nodes = 2 + int(seed%4)
			if seed%9 == 0 {
				cfg.Nodes = 8
			}
			if cfg.Placement != fagus.PlaceShared && cfg.Net.Clock() == dimmnet.Virtual {
				cfg.History = history.New()
			}
			uses := 60
			if name == "tcp" {
				uses = 20
			}
			var l lockTable
			report, err := runFor(t, cfg, l.program(seed, uses))
			if err != nil {
				t.Fatalf("%s, seed %d, %d nodes: %v", name, seed, cfg.Nodes, err)
			}
			if cfg.History != nil {
				if v := cfg.History.Check(); v != nil {
					t.Errorf("%s, seed %d, %d nodes: %v", name, seed, cfg.Nodes, v)
				}
			}
			runs[name]++
			for _, r := range report.Ranks {
				takes[name] += r.Takes
			}
		}
	}
	for name := range runs {
		if takes[name] < runs[name] {
			t.Errorf("%s: %d variables were taken in %d runs", name, takes[name], runs[name])
		}
	}
	t.Logf("variables taken: %v", takes)
}

// TestDirectSkipsExactly: ranks that take variables from each other give the same trace if the
// simulator executes every polling pass, and if it skips those that change nothing.
func TestDirectSkipsExactly(t *testing.T) {
	longtest.OneThread(t)
	for seed := uint64(1); seed <= cases(100, 10); seed++ {
		run := func(spin bool) ([]fagus.Stats, sim.Result) {
			preset, err := presets.Load("fagus2")
			if err != nil {
				t.Fatal(err)
			}
			preset.Host.CPUs, preset.Host.Slice = 1+int(seed%2), dimmnet.Time(20+seed%7*10)*dimmnet.Microsecond
			net := newSim(t, sim.Config{Seed: seed, Preset: &preset, MaxDelay: 1 + dimmnet.Time(seed%3)*10*dimmnet.Microsecond, Spin: spin, Limit: 10 * dimmnet.Second})
			cfg := fagus.Config{Nodes: 2 + int(seed%4), Net: net, Mode: fagus.Threaded, Direct: true, Notices: seed/2%2 == 0}
			var l lockTable
			report := succeed(t, cfg, l.program(seed, 20))
			result := net.Result()
			result.Events = 0 // skipped passes are not counted as events
			return report.Ranks, result
		}
		skipped, one := run(false)
		spun, two := run(true)
		if !reflect.DeepEqual(skipped, spun) || !reflect.DeepEqual(one, two) {
			t.Errorf("seed %d: the result is %+v with skipped passes, %+v without", seed, one, two)
		}
	}
}

// TestDirectStarvesNobody: one rank reads, while the others take the variable from each other as
// fast as they can. Its request must not follow the variable forever.
func TestDirectStarvesNobody(t *testing.T) {
	const tenures = 20
	for nodes := 3; nodes <= 6; nodes++ {
		for _, pause := range []fagus.Time{0, 5, 9, 20, 50, 130} {
			had := make([]int, nodes) // simulated threads run one at a time
			cfg := fagus.Config{Nodes: nodes, Mode: fagus.Threaded, Direct: true, Notices: nodes%2 == 0,
				Net: newSim(t, sim.Config{Limit: dimmnet.Time(nodes*nodes*tenures) * dimmnet.Millisecond})}
			_, err := runFor(t, cfg, func(n *fagus.Node) error {
				_, guards, err := counters(n, 1)
				if err != nil {
					return err
				}
				access := fagus.Exclusive
				if n.Rank() == nodes-1 {
					access = fagus.Shared
				}
				set := n.Set(fagus.Want(guards[0], access))
				for slices.Min(had) < tenures {
					if err := touch(n, set); err != nil {
						return err
					}
					had[n.Rank()]++
					n.Spend(pause * fagus.Microsecond)
				}
				return nil
			})
			if err != nil || slices.Max(had) > 20*tenures {
				t.Errorf("%d nodes, pause of %d us: tenures by rank %v, error %v", nodes, pause, had, err)
			}
		}
	}
}

// TestDirectNeedsRDMA: without RDMA, with too many ranks, and in an LLCM that is too small,
// everything goes by requests.
func TestDirectNeedsRDMA(t *testing.T) {
	for name, cfg := range map[string]fagus.Config{
		"udp":        {Nodes: 3, Net: newSim(t, sim.Config{UDP: &sim.UDP{}})},
		"no RDMA":    {Nodes: 3, Net: bulkNet(0, 3000, 0)},
		"9 nodes":    {Nodes: 9, Net: newSim(t, sim.Config{})},
		"1 node":     {Nodes: 1, Net: newSim(t, sim.Config{})},
		"small LLCM": {Nodes: 3, Net: inproc.New(inproc.Config{LLCM: 560})},
	} {
		cfg.Mode, cfg.Direct = fagus.Threaded, true
		var l lockTable
		for _, r := range succeed(t, cfg, l.program(3, 20)).Ranks {
			if r.Takes != 0 || cfg.Nodes > 1 && r.Rank > 0 && r.Requests == 0 {
				t.Errorf("%s: rank %d made %d requests, and took %d variables", name, r.Rank, r.Requests, r.Takes)
			}
		}
	}
}

// TestDirectTakesQuickly: a rank takes many free variables in a small part of the time that as many
// requests need.
func TestDirectTakesQuickly(t *testing.T) {
	const variables = 200
	times := make(map[bool]fagus.Time)
	for _, direct := range []bool{false, true} {
		cfg := fagus.Config{Nodes: 2, Net: newSim(t, sim.Config{}), Mode: fagus.Threaded, Notices: true, Direct: direct}
		report := succeed(t, cfg, func(n *fagus.Node) error {
			_, guards, err := counters(n, variables)
			if err != nil {
				return err
			}
			var wants []fagus.Request
			for _, v := range guards {
				wants = append(wants, fagus.Want(v, fagus.Exclusive))
			}
			if n.Rank() == 0 {
				return nil
			}
			return touch(n, n.Set(wants...))
		})
		s := report.Ranks[1]
		times[direct] = s.Parts[fagus.PartAcquire].Time / variables
		takes, requests := uint64(0), uint64(variables)
		if direct {
			takes, requests = requests, takes
		}
		if s.Takes != takes || s.Requests != requests {
			t.Errorf("direct %v: %d variables taken, %d requests", direct, s.Takes, s.Requests)
		}
	}
	if times[true] > times[false]/10 {
		t.Errorf("an Acquire takes %v with requests and %v without", times[false], times[true])
	}
	t.Logf("an Acquire takes %v with requests and %v without", times[false], times[true])
}
