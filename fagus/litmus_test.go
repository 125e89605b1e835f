package fagus_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/quic"
	"github.com/fagus-dsm/fagus/dimmnet/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/tcp"
	"github.com/fagus-dsm/fagus/fagus"
)

// A litmus test is a few lines of program for each rank, and what they may see. A
// line is an operation:
//
//	Xs x=1 y x++    a tenure of s, exclusive: writes x, reads y, reads x and adds 1
//	Ss x            a tenure of s, shared
//	look x          a read outside of tenures
//	update          all ranks have one
//
// Items x and y are numbers, 0 at first, each bound to s or t. An outcome is what all
// reads saw, by rank.
type litmus struct {
	name     string
	bound    map[string]string // variable to items
	ranks    [][]string
	sees     []string // every outcome that entry consistency allows
	stronger []string // of those, what this runtime never shows, because A5 keeps copies still
}

var both = map[string]string{"s": "x", "t": "y"}

// litmusTests are those of spec/70, but for zombies: nothing recovers yet. Updates are
// collective here, and bring what a rank has acquired before.
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
	}
}

// TestLitmusModel: the enumerator of the axioms says of every test what spec/70 says.
func TestLitmusModel(t *testing.T) {
	for _, l := range litmusTests() {
		got := slices.Sorted(maps.Keys(l.allowed()))
		if !slices.Equal(got, l.sees) {
			t.Errorf("%s: the axioms allow %q, want %q", l.name, got, l.sees)
		}
	}
}

// TestLitmus runs every test on both engines and all networks, many times. What is
// forbidden is never seen, and in virtual time everything is that can be.
func TestLitmus(t *testing.T) {
	least, most := uint64(100), uint64(3000) // it ends when all is seen
	if testing.Short() {
		least, most = 30, 30
	}
	ways := detections(t)
	for _, l := range litmusTests() {
		for _, mode := range []fagus.Engine{fagus.Phase, fagus.Threaded} {
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
				for name, net := range map[string]dimmnet.Network{
					"sim":    newSim(t, sim.Config{Seed: seed, Limit: 100 * dimmnet.Second}),
					"udp":    newSim(t, sim.Config{Seed: seed, Limit: 100 * dimmnet.Second, UDP: &sim.UDP{Loss: 0.1}}),
					"inproc": inproc.New(inproc.Config{}),
					"shm":    shm.New(shm.Config{Heap: 1 << 20}),
					"tcp":    tcp.New(tcp.Config{}),
					"quic":   quic.New(quic.Config{}),
				} {
					if (name == "shm" || name == "tcp") && shm.Supported() != nil {
						continue
					}
					if name != "sim" && seed%8 != 0 || name != "sim" && seed > least {
						continue
					}
					outcome := l.run(t, fagus.Config{Net: net, Mode: mode, WriteDetection: ways[seed/8%uint64(len(ways))]}, seed)
					if !slices.Contains(l.sees, outcome) {
						t.Errorf("%s, %v mode, %s, seed %d: saw %q, allowed are %q", l.name, mode, name, seed, outcome, l.sees)
					}
					if name == "sim" {
						seen[outcome]++
					}
				}
			}
			if list := missing(); len(list) > 0 && !testing.Short() {
				t.Errorf("%s, %v mode: never saw %q in %d runs, but %v", l.name, mode, list, most, seen)
			}
			for _, never := range l.stronger {
				if seen[never] > 0 {
					t.Errorf("%s, %v mode: saw %q %d times, which says that copies change by themselves", l.name, mode, never, seen[never])
				}
			}
		}
	}
}

// run runs the test, with pauses that its seed chooses, and returns the outcome.
func (l *litmus) run(t *testing.T, cfg fagus.Config, seed uint64) string {
	t.Helper()
	cfg.Nodes, cfg.History = len(l.ranks), history.New()
	saw := make([][]string, cfg.Nodes)
	var mu sync.Mutex
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := fagus.Run(ctx, cfg, func(n *fagus.Node) error {
		p, err := l.declare(n)
		if err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(seed, uint64(n.Rank())))
		for i, line := range l.ranks[n.Rank()] {
			pauses := r.IntN(4)
			if i == 0 {
				pauses = r.IntN(10)
				if int(seed)%n.Nodes() == n.Rank() { // much later than the others
					pauses += r.IntN(30)
				}
			}
			// In phases who comes first does not depend on time, but on the phase.
			for range pauses {
				n.Spend(fagus.Time(r.IntN(40)) * fagus.Microsecond)
				if n.Mode() == fagus.Phase {
					empty := n.Set()
					if err := n.Acquire(empty); err != nil {
						return err
					}
					if err := n.Release(empty); err != nil {
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
		t.Fatalf("%s, %v mode, seed %d: %v", l.name, cfg.Mode, seed, err)
	}
	if v := cfg.History.Check(); v != nil {
		t.Errorf("%s, %v mode, seed %d: %v", l.name, cfg.Mode, seed, v)
	}
	return strings.Join(slices.Concat(saw...), " ")
}

// player is a rank that plays its lines.
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
	case "look":
		p.access(line[1])
		return nil
	}
	mode := fagus.Shared
	if line[0][0] == 'X' {
		mode = fagus.Exclusive
	}
	set := p.n.Set(fagus.Want(p.vars[line[0][1:]], mode))
	if err := p.n.Acquire(set); err != nil {
		return err
	}
	for _, a := range line[1:] {
		p.access(a)
	}
	return p.n.Release(set)
}

// access is x=1, x++ or x.
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
