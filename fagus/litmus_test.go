package fagus_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
	"github.com/fagus-dsm/fagus/fagus"
)

// A litmus test is a small program for each rank and the outcomes that entry consistency
// allows. Each line of a program is an operation:
//
//	Xs x=1 y x++    an exclusive tenure of s: writes x, reads y, reads x and adds 1
//	Ss x            a shared tenure of s
//	Xs x? x=2       an exclusive tenure of s in which x is not 0: waits until it is
//	look x          a read outside tenures
//	update          an Update, which all ranks make
//	fence           a Fence, which all ranks make
//
// Items x and y are numbers, initially 0, each bound to variable s or t. An outcome is the
// values that all reads returned, by rank.
type litmus struct {
	name     string
	bound    map[string]string // the items that each variable guards
	ranks    [][]string        // the lines of each rank
	sees     []string          // all outcomes that entry consistency allows
	stronger []string          // the outcomes in sees that Fagus never shows (axiom A5)
	copies   bool              // reads a copy of the rank's own while another rank may write
}

var both = map[string]string{"s": "x", "t": "y"}

// litmusTests returns the tests of docs/lab/papers.md, Entry consistency, except for the test of
// zombies: Fagus does not recover from failures yet. Update is collective here, and refreshes the
// variables that a rank has acquired before. The tests after them are about Fence.
func litmusTests() []litmus {
	return []litmus{
		{name: "1 MP, one guard", bound: map[string]string{"s": "xy"},
			ranks: [][]string{{"Xs x=1 y=1"}, {"Ss y x"}},
			sees:  []string{"0 0", "1 1"}},
		{name: "2 MP, two guards", bound: both,
			ranks: [][]string{{"Xs x=1", "Xt y=1"}, {"St y", "Ss x"}},
			sees:  []string{"0 0", "0 1", "1 1"}},
		{name: "3 MP, s not acquired", bound: both,
			ranks:    [][]string{{"Xs x=1", "Xt y=1"}, {"St y", "look x"}},
			copies:   true,
			sees:     []string{"0 0", "0 1", "1 0", "1 1"},
			stronger: []string{"0 1", "1 1"}},
		{name: "4 MP and update", bound: both,
			ranks: [][]string{{"Xs x=1", "Xt y=1", "update"}, {"Ss", "St y", "update", "look x"}},
			sees:  []string{"0 1", "1 1"}},
		{name: "5 SB", bound: both,
			ranks: [][]string{{"Xs x=1", "St y"}, {"Xt y=1", "Ss x"}},
			sees:  []string{"0 1", "1 0", "1 1"}},
		{name: "6 increment", bound: map[string]string{"s": "x"},
			ranks: [][]string{{"Xs x++"}, {"Xs x++"}},
			sees:  []string{"0 1", "1 0"}},
		{name: "7 IRIW", bound: both,
			ranks: [][]string{{"Xs x=1"}, {"Xt y=1"}, {"Ss x", "St y"}, {"St y", "Ss x"}},
			sees: []string{"0 0 0 0", "0 0 0 1", "0 0 1 0", "0 0 1 1", "0 1 0 0", "0 1 0 1", "0 1 1 0", "0 1 1 1",
				"1 0 0 0", "1 0 0 1", "1 0 1 1", "1 1 0 0", "1 1 0 1", "1 1 1 0", "1 1 1 1"}},
		{name: "8 MP and fence", bound: both,
			ranks: [][]string{{"Xs x=1", "fence"}, {"fence", "Ss x"}},
			sees:  []string{"1"}},
		{name: "9 read before the fence", bound: both,
			ranks: [][]string{{"fence", "Xs x=1"}, {"Ss x", "fence"}},
			sees:  []string{"0"}},
		{name: "10 two fences at once", bound: both,
			ranks: [][]string{{"fence", "fence", "Xs x=1"}, {"fence", "Ss x", "fence"}, {"Ss x", "fence", "fence"}},
			sees:  []string{"0 0"}},
		{name: "11 a fence does not refresh", bound: both,
			ranks:  [][]string{{"Xs x=1", "fence", "Xt y=1"}, {"Ss", "fence", "look x", "St y"}},
			copies: true,
			sees:   []string{"0 0", "0 1", "1 0", "1 1"}},
		{name: "12 fence and update", bound: both,
			ranks: [][]string{{"Xs x=1", "fence", "update", "Xs x=2"}, {"Ss", "fence", "update", "look x"}},
			sees:  []string{"1", "2"}, stronger: []string{"2"}},
		{name: "13 MP by a change", bound: map[string]string{"s": "xy"},
			ranks: [][]string{{"Xs x=1 y=1"}, {"Ss y? x"}},
			sees:  []string{"1"}},
		{name: "14 MP by a change of another guard", bound: both,
			ranks: [][]string{{"Xs x=1", "Xt y=1"}, {"Xt y? y=2", "Ss x"}},
			sees:  []string{"1"}},
		{name: "15 to and fro", bound: both,
			ranks: [][]string{{"Xs x=1", "Xt y? y", "Xs x=3"}, {"Xs x? x=2", "Xt y=1"}, {"Xt y? y=2", "Ss x"}},
			sees:  []string{"1 2", "1 3", "2 2", "2 3"}},
		{name: "16 one waits for a change by another that waits", bound: map[string]string{"s": "x", "t": "y"},
			ranks: [][]string{{"Ss x? x"}, {"Xt y? y", "Xs x=1"}, {"Xs", "Xt", "Xt y=1"}},
			sees:  []string{"1 1"}},
	}
}

// TestLitmusModel: the enumerator of the axioms yields the outcomes that docs/lab/papers.md lists
// for every test.
func TestLitmusModel(t *testing.T) {
	for _, l := range litmusTests() {
		got := slices.Sorted(maps.Keys(l.allowed()))
		if !slices.Equal(got, l.sees) {
			t.Errorf("%s: the axioms allow %q, want %q", l.name, got, l.sees)
		}
	}
}

// litmusNetworks returns the networks of the run with this seed. Making all takes longer than it.
func litmusNetworks(t *testing.T, seed uint64) map[string]func() dimmnet.Network {
	nets := map[string]func() dimmnet.Network{
		"sim": func() dimmnet.Network {
			return newSim(t, sim.Config{Seed: seed, Limit: 100 * dimmnet.Second, HostCost: []string{"on", presets.HostCostOff}[seed%2]})
		},
		"udp": func() dimmnet.Network {
			return newSim(t, sim.Config{Seed: seed, Limit: 100 * dimmnet.Second, UDP: &sim.UDP{Loss: 0.1}})
		},
		"inproc":  goroutines,
		"locks":   goroutines,
		"helpers": func() dimmnet.Network { return helped()["inproc, one helper"].Net },
		"shm":     func() dimmnet.Network { return shm.New(shm.Config{Heap: 1 << 20}) },
		"tcp":     func() dimmnet.Network { return tcp.New(tcp.Config{}) },
		"quic":    func() dimmnet.Network { return quic.New(quic.Config{}) },
	}
	if name, net, ok := fabric(seed / 8); ok {
		nets[name] = func() dimmnet.Network { return net }
	}
	return nets
}

// TestLitmus runs every test in both modes on all networks, many times. Forbidden outcomes must
// never occur. In virtual time all allowed outcomes must occur.
func TestLitmus(t *testing.T) {
	// The test makes at least and at most these numbers of runs; it ends when all outcomes have
	// occurred.
	least, most := longtest.Cases(uint64(100), 12), uint64(3000)
	if testing.Short() {
		least, most = 8, 8
	}
	methods := detections(t)
	for _, l := range litmusTests() {
		for mode, cfg := range engines() {
			seen := make(map[string]int)
			missing := func() (list []string) {
				for _, want := range l.sees {
					if seen[want] == 0 && !slices.Contains(l.stronger, want) {
						list = append(list, want)
					}
				}
				return list
			}
			for seed := uint64(1); seed <= least || seed <= most && len(missing()) > 0; seed++ {
				for name, network := range litmusNetworks(t, seed) {
					if name != "sim" && seed%8 != 0 || name != "sim" && seed > least {
						continue
					}
					one := (name == "locks" || name == "shm") && cfg.Mode == fagus.Threaded && !cfg.Direct
					if name == "locks" && !one || one && l.copies {
						continue
					}
					if (name == "shm" || name == "tcp") && shm.Supported() != nil {
						continue
					}
					net := network()
					if testing.Short() && net.Clock() == dimmnet.Virtual {
						continue
					}
					cfg.Net, cfg.WriteDetection = net, methods[seed/8%uint64(len(methods))]
					if cfg.Placement = fagus.PlaceAuto; name == "locks" {
						cfg.Placement = fagus.PlaceShared
					}
					outcome := l.run(t, cfg, seed)
					if !slices.Contains(l.sees, outcome) {
						t.Errorf("%s, %s, %s, seed %d: saw %q, allowed are %q", l.name, mode, name, seed, outcome, l.sees)
					}
					if one && slices.Contains(l.stronger, outcome) {
						t.Errorf("%s, %s, seed %d: saw %q: data changed that an Update had brought", l.name, name, seed, outcome)
					}
					if name == "sim" {
						seen[outcome]++
					}
				}
			}
			if list := missing(); len(list) > 0 && !testing.Short() {
				t.Errorf("%s, %s: outcomes %q did not occur in %d runs, only %v", l.name, mode, list, most, seen)
			}
			for _, never := range l.stronger {
				if seen[never] > 0 {
					t.Errorf("%s, %s: saw %q %d times: a copy changed outside a tenure", l.name, mode, never, seen[never])
				}
			}
		}
	}
}

// run runs the test with random pauses and returns the outcome.
func (l *litmus) run(t *testing.T, cfg fagus.Config, seed uint64) string {
	t.Helper()
	cfg.Nodes, cfg.History = len(l.ranks), history.New()
	saw := make([][]string, cfg.Nodes)
	var mu sync.Mutex
	_, err := runFor(t, cfg, func(n *fagus.Node) error {
		p, err := l.declare(n)
		if err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(seed, uint64(n.Rank())))
		for i, line := range l.ranks[n.Rank()] {
			pauses := r.IntN(4)
			if i == 0 {
				pauses = r.IntN(10)
				if int(seed)%n.Nodes() == n.Rank() { // this rank starts much later than others
					pauses += r.IntN(30)
				}
			}
			// In phase mode the order of requests depends on phases rather than on time.
			for range pauses {
				n.Spend(fagus.Time(r.IntN(40<<r.IntN(4))) * fagus.Microsecond)
				if n.Mode() == fagus.Phase {
					if err := touch(n, n.Set()); err != nil {
						return err
					}
				}
			}
			if err := p.do(strings.Fields(line)); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		saw[n.Rank()] = p.saw
		return nil
	})
	if err != nil {
		t.Fatalf("%s, %s, seed %d: %v", l.name, cfg.Mode, seed, err)
	}
	if v := cfg.History.Check(); v != nil {
		t.Errorf("%s, %s, seed %d: %v", l.name, cfg.Mode, seed, v)
	}
	return strings.Join(slices.Concat(saw...), " ")
}

// player executes the lines of a rank.
type player struct {
	n     *fagus.Node
	items *fagus.Array[int64]
	vars  map[string]*fagus.SyncVar
	saw   []string
}

const litmusItems = "xy"

func (l *litmus) declare(n *fagus.Node) (*player, error) {
	items, err := fagus.NewArray[int64](n, "items", len(litmusItems))
	if err != nil {
		return nil, err
	}
	p := &player{n: n, items: items, vars: make(map[string]*fagus.SyncVar)}
	for _, name := range slices.Sorted(maps.Keys(l.bound)) {
		var ranges []fagus.Range
		for _, item := range l.bound[name] {
			i := strings.IndexRune(litmusItems, item)
			ranges = append(ranges, items.Range(i, i+1))
		}
		if p.vars[name], err = n.Bind(name, ranges...); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *player) do(line []string) error {
	switch line[0] {
	case "update":
		return p.n.Update()
	case "fence":
		return p.n.Fence()
	case "look":
		p.access(line[1])
		return nil
	}
	access := fagus.Shared
	if line[0][0] == 'X' {
		access = fagus.Exclusive
	}
	set, accesses := p.n.Set(fagus.Want(p.vars[line[0][1:]], access)), line[1:]
	all := func() {
		for _, a := range accesses {
			p.access(a)
		}
	}
	if len(accesses) > 0 && strings.HasSuffix(accesses[0], "?") {
		item := &p.items.Slice()[strings.IndexByte(litmusItems, accesses[0][0])]
		accesses = accesses[1:]
		return set.DoWhen(func() bool { return *item != 0 }, all)
	}
	return tenure(p.n, set, all)
}

// access executes an access of the form x=1, x++ or x.
func (p *player) access(a string) {
	item := &p.items.Slice()[strings.IndexByte(litmusItems, a[0])]
	if value, writes := strings.CutPrefix(a[1:], "="); writes {
		*item = int64(value[0] - '0')
		return
	}
	p.saw = append(p.saw, fmt.Sprint(*item))
	if strings.HasSuffix(a, "++") {
		*item++
	}
}
