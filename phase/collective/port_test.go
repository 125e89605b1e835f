package collective_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/phase/collective"
)

// The ports of this file keep the contract, and use the freedom it leaves.

// refusingPort refuses posts at random, as a port without credits.
type refusingPort struct {
	dimmnet.Port
	random  *rand.Rand
	refused bool // since the mark
}

func (p *refusingPort) no() bool {
	no := p.random.IntN(3) == 0
	p.refused = p.refused || no
	return no
}

func (p *refusingPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	return !p.no() && p.Port.Store(dst, off, v, size)
}

func (p *refusingPort) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	return !p.no() && p.Port.Multicast(dsts, off, v, size)
}

func (p *refusingPort) Arrivals() dimmnet.Mark {
	p.refused = false
	return p.Port.Arrivals()
}

func (p *refusingPort) Idle(since dimmnet.Mark) {
	if !p.refused { // else a credit is there at once
		p.Port.Idle(since)
	}
}

// refusing wraps ports so that each refuses a third of its posts.
func refusing(seed uint64) func(dimmnet.Port) dimmnet.Port {
	return func(p dimmnet.Port) dimmnet.Port {
		return &refusingPort{Port: p, random: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
	}
}

// multicastPort makes a Multicast of Stores, for ports that refuse none.
type multicastPort struct {
	dimmnet.Port
	limit int
	casts int
}

func (p *multicastPort) Limits() dimmnet.Limits {
	l := p.Port.Limits()
	l.Multicast = p.limit
	return l
}

func (p *multicastPort) Multicast(dsts []dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	p.Limits().CheckMulticast(p.Nodes(), dsts, off, size)
	for _, dst := range dsts {
		if !p.Port.Store(dst, off, v, size) {
			if p.Err() == nil {
				panic("multicast over a port that refuses")
			}
			return false
		}
	}
	p.casts++
	return true
}

// multicasting wraps ports so that they reach limit ranks at once.
func multicasting(limit int) func(dimmnet.Port) dimmnet.Port {
	return func(p dimmnet.Port) dimmnet.Port { return &multicastPort{Port: p, limit: limit} }
}

// slowSelf lets what a rank posts to itself land late: when some more passes
// have begun, or the rank would idle. That of other ranks may overtake it.
type slowSelf struct {
	dimmnet.Port
	random *rand.Rand
	held   []func()
}

func (p *slowSelf) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	if dst != p.Rank() {
		return p.Port.Store(dst, off, v, size)
	}
	p.held = append(p.held, func() { p.Port.Store(dst, off, v, size) })
	return true
}

func (p *slowSelf) Arrivals() dimmnet.Mark {
	if len(p.held) > 0 && p.random.IntN(8) == 0 {
		p.held[0]()
		p.held = p.held[1:]
	}
	return p.Port.Arrivals()
}

func (p *slowSelf) Idle(since dimmnet.Mark) {
	if len(p.held) == 0 { // else there is something on its way
		p.Port.Idle(since)
	}
}

func slow(seed uint64) func(dimmnet.Port) dimmnet.Port {
	return func(p dimmnet.Port) dimmnet.Port {
		return &slowSelf{Port: p, random: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
	}
}

// watchingPort checks what dimmnet.Stepper demands of a Step that returns
// false: it has posted nothing, and it reads the same words as the one before.
// It also finds one that returns true for nothing: then Drive would not idle.
type watchingPort struct {
	dimmnet.Port
	fail   func(string)
	turns  int // calls of Config.Turn in this pass
	posts  int
	reads  []dimmnet.Offset // of this pass
	before []dimmnet.Offset // of the pass before, if nothing has arrived since
	since  dimmnet.Mark
	idled  bool // this pass
	rested bool // the pass before
	same   int  // passes that were compared
}

func (p *watchingPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	posted := p.Port.Store(dst, off, v, size)
	if posted {
		p.posts++
	}
	return posted
}

func (p *watchingPort) Load(off dimmnet.Offset) uint64 {
	p.reads = append(p.reads, off)
	return p.Port.Load(off)
}

func (p *watchingPort) Read(b []byte, off dimmnet.Offset) {
	p.reads = append(p.reads, off)
	p.Port.Read(b, off)
}

func (p *watchingPort) Arrivals() dimmnet.Mark {
	mark := p.Port.Arrivals()
	quiet := mark == p.since && p.posts == 0 && p.turns == 0
	if quiet && !p.idled && !p.rested && p.before != nil && slices.Equal(p.before, p.reads) {
		p.fail(fmt.Sprintf("two steps with progress read %v and did nothing", p.reads))
	}
	p.before = nil
	if quiet {
		p.before = slices.Clone(p.reads)
	}
	p.rested, p.since, p.idled, p.posts, p.turns, p.reads = p.idled, mark, false, 0, 0, p.reads[:0]
	return mark
}

func (p *watchingPort) Idle(since dimmnet.Mark) {
	if p.posts > 0 || p.turns > 0 {
		p.fail(fmt.Sprintf("a step without progress posted %d packets and called Turn %d times", p.posts, p.turns))
	}
	// What arrived during the pass may have changed where it went.
	if p.rested && p.before != nil && p.Port.Arrivals() == since {
		p.same++
		if !slices.Equal(p.before, p.reads) {
			p.fail(fmt.Sprintf("one step read %v, the next %v", p.before, p.reads))
		}
	}
	p.idled = true
	p.Port.Idle(since)
}

// base is where the tests put their areas.
const base = 24

func newSim(t testing.TB, cfg sim.Config) *sim.Network {
	t.Helper()
	network, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return network
}

// newInproc has LLCMs that the areas of up to 512 nodes just fit.
func newInproc() *inproc.Network {
	return inproc.New(inproc.Config{LLCM: base + collective.Bytes(512)})
}

// run runs body with a group on each of nodes ranks.
func run(t testing.TB, network dimmnet.Network, nodes int, body func(dimmnet.Host, *collective.Group) error) {
	t.Helper()
	err := network.Run(t.Context(), nodes, func(h dimmnet.Host) error {
		g, err := collective.New(h.Port(), base, collective.Config{})
		if err != nil {
			return err
		}
		return body(h, g)
	})
	if err != nil {
		t.Fatalf("%d nodes: %v", nodes, err)
	}
}
