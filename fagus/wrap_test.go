package fagus_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

// refusingPort refuses posts when refuse says so, as a port without credits.
type refusingPort struct {
	dimmnet.Port
	refuse  func() bool
	refused bool // since the mark
}

func (p *refusingPort) no() bool {
	no := p.refuse()
	p.refused = p.refused || no
	return no
}

func (p *refusingPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	return !p.no() && p.Port.Store(dst, off, v, size)
}

func (p *refusingPort) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	return !p.no() && p.Port.Write(dst, off, b)
}

func (p *refusingPort) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return !p.no() && p.Port.Push(dst, from, to, n, done)
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

// TestRefusedPosts runs random programs on ports that refuse posts at random.
func TestRefusedPosts(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 15
	}
	for seed := range seeds {
		nodes := 2 + int(seed%4)
		wrap := func(p dimmnet.Port) dimmnet.Port {
			random := rand.New(rand.NewPCG(seed, uint64(p.Rank())))
			return &refusingPort{Port: p, refuse: func() bool { return random.Uint64N(8) < seed%7 }}
		}
		runRandom(t, porttest.Wrap(newSim(t, sim.Config{Seed: seed}), wrap), nodes, seed)
		runRandom(t, porttest.Wrap(inproc.New(inproc.Config{LLCM: 4000}), wrap), nodes, seed)
		bulk := bulkBytes[seed%uint64(len(bulkBytes))]
		runRandomBy(t, fagus.Push, porttest.Wrap(bulkNet(0, bulk, bulk/2), wrap), nodes, seed)
		runRandomBy(t, fagus.Auto, porttest.Wrap(bulkNet(0, bulk, bulk/2), wrap), nodes, seed)
		runRandomBy(t, fagus.Push, porttest.Wrap(bulkNet(smallLLCM, bulk, bulk/2), wrap), 15+nodes, seed)
	}
}

// slowPort does a PUSH some passes after it was posted, when it may have been
// overtaken by stores.
type slowPort struct {
	dimmnet.Port
	random *rand.Rand
	queue  []func()
}

func (p *slowPort) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	p.queue = append(p.queue, func() { p.Port.Push(dst, from, to, n, done) })
	return true
}

func (p *slowPort) Arrivals() dimmnet.Mark {
	for i := 0; i < len(p.queue); i++ {
		if p.random.IntN(3) == 0 {
			p.queue[i]()
			p.queue = slices.Delete(p.queue, i, i+1)
		}
	}
	return p.Port.Arrivals()
}

func (p *slowPort) Idle(since dimmnet.Mark) {
	if len(p.queue) == 0 {
		p.Port.Idle(since)
	}
}

// TestSlowPushes runs random programs on ports whose PUSHes take their time.
func TestSlowPushes(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 15
	}
	for seed := range seeds {
		nodes, bulk := 2+int(seed%5), bulkBytes[seed%uint64(len(bulkBytes))]
		wrap := func(p dimmnet.Port) dimmnet.Port {
			return &slowPort{Port: p, random: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
		}
		runRandomBy(t, fagus.Push, porttest.Wrap(bulkNet(0, bulk, bulk/2), wrap), nodes, seed)
		runRandomBy(t, fagus.Auto, porttest.Wrap(bulkNet(smallLLCM, bulk, bulk), wrap), 15+nodes, seed)
	}
}

// TestEveryPostRefusedOnce refuses each single post of a run, up to three times.
func TestEveryPostRefusedOnce(t *testing.T) {
	const seed, nodes, most = 6, 3, 600
	total := 1
	for at := 0; at < total; at++ {
		posts, again := 0, 1+at%3
		runRandom(t, porttest.Wrap(newSim(t, sim.Config{}), func(p dimmnet.Port) dimmnet.Port {
			return &refusingPort{Port: p, refuse: func() bool { // of all ranks: they are coroutines
				if posts == at && again > 0 {
					again--
					return true
				}
				posts++
				return false
			}}
		}), nodes, seed)
		total = min(posts, most)
	}
	if total < 100 {
		t.Errorf("only %d posts", total)
	}
}

// watchingPort checks what dimmnet.Stepper demands of a Step that returns
// false: it has posted nothing and touched no bulk memory, and it reads the same words as the one before.
type watchingPort struct {
	dimmnet.Port
	fail   func(string)
	posts  int              // also uses of the bulk memory
	reads  []dimmnet.Offset // of this pass
	before []dimmnet.Offset // of the pass before, if it idled and nothing arrived
	since  dimmnet.Mark
	idled  bool
}

func (p *watchingPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	posted := p.Port.Store(dst, off, v, size)
	if posted {
		p.posts++
	}
	return posted
}

func (p *watchingPort) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	posted := p.Port.Write(dst, off, b)
	if posted {
		p.posts++
	}
	return posted
}

func (p *watchingPort) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	posted := p.Port.Push(dst, from, to, n, done)
	if posted {
		p.posts++
	}
	return posted
}

func (p *watchingPort) Fill(off dimmnet.Offset, b []byte) {
	p.posts++
	p.Port.Fill(off, b)
}

func (p *watchingPort) Flip() {
	p.posts++
	p.Port.Flip()
}

func (p *watchingPort) Load(off dimmnet.Offset) uint64 {
	p.reads = append(p.reads, off)
	return p.Port.Load(off)
}

func (p *watchingPort) Arrivals() dimmnet.Mark {
	mark := p.Port.Arrivals()
	p.before = nil
	if p.idled && mark == p.since {
		p.before = slices.Clone(p.reads)
	}
	p.since, p.idled, p.posts, p.reads = mark, false, 0, p.reads[:0]
	return mark
}

func (p *watchingPort) Idle(since dimmnet.Mark) {
	if p.posts > 0 {
		p.fail(fmt.Sprintf("a step without progress posted %d packets or so", p.posts))
	}
	// What arrived during the pass may have changed where it went.
	if p.before != nil && p.Port.Arrivals() == since && !slices.Equal(p.before, p.reads) {
		p.fail(fmt.Sprintf("one step read %v, the next %v", p.before, p.reads))
	}
	p.idled = true
	p.Port.Idle(since)
}

// TestStepsArePure watches every polling pass of random programs. All passes
// are run for real, so that many follow each other.
func TestStepsArePure(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		net := newSim(t, sim.Config{Preset: smallBuffers(t, seed), Spin: true, Limit: 10 * dimmnet.Second})
		runRandom(t, porttest.Wrap(net, func(p dimmnet.Port) dimmnet.Port {
			return &watchingPort{Port: p, fail: func(what string) { t.Errorf("seed %d, rank %d: %s", seed, p.Rank(), what) }}
		}), 2+int(seed%4), seed)
		bulk := bulkBytes[seed%uint64(len(bulkBytes))]
		runRandomBy(t, fagus.Push, porttest.Wrap(bulkNet(0, bulk, bulk/2), func(p dimmnet.Port) dimmnet.Port {
			return &watchingPort{Port: p, fail: func(what string) { t.Errorf("seed %d, rank %d: %s", seed, p.Rank(), what) }}
		}), 2+int(seed%4), seed)
	}
}
