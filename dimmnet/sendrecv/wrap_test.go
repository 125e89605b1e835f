package sendrecv

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// refusingPort refuses posts at random.
type refusingPort struct {
	dimmnet.Port
	random  *rand.Rand
	refused bool // since the mark
}

func (p *refusingPort) no() bool {
	no := p.random.IntN(2) == 0
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

func (p *refusingPort) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return !p.no() && p.Port.Pull(src, from, to, n, done)
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

func TestRefusedPosts(t *testing.T) {
	start := rand.Uint64() >> 1
	for seed := start; seed < start+seeds(); seed++ {
		runRandom(t, seed, func(p dimmnet.Port) dimmnet.Port {
			return &refusingPort{Port: p, random: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
		})
	}
}

// latePort does RDMA, and Stores to the own rank, some polls after they were
// posted, in any order.
type latePort struct {
	dimmnet.Port
	random *rand.Rand
	flying []func()
}

func (p *latePort) later(post func() bool) bool {
	p.flying = append(p.flying, func() { post() })
	return true
}

func (p *latePort) land() {
	for len(p.flying) > 0 && p.random.IntN(3) == 0 {
		i := p.random.IntN(len(p.flying))
		p.flying[i]()
		p.flying = slices.Delete(p.flying, i, i+1)
	}
}

func (p *latePort) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.later(func() bool { return p.Port.Push(dst, from, to, n, done) })
}

func (p *latePort) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.later(func() bool { return p.Port.Pull(src, from, to, n, done) })
}

func (p *latePort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	if dst != p.Rank() {
		return p.Port.Store(dst, off, v, size)
	}
	return p.later(func() bool { return p.Port.Store(dst, off, v, size) })
}

func (p *latePort) Load(off dimmnet.Offset) uint64 {
	v := p.Port.Load(off)
	p.land()
	return v
}

func (p *latePort) Idle(since dimmnet.Mark) {
	if len(p.flying) == 0 {
		p.Port.Idle(since)
	}
	p.land()
}

func TestLateRDMA(t *testing.T) {
	start := rand.Uint64() >> 1
	for seed := start; seed < start+seeds(); seed++ {
		runRandom(t, seed, func(p dimmnet.Port) dimmnet.Port {
			return &latePort{Port: p, random: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
		})
	}
}

// watchingPort checks what dimmnet.Stepper demands of a Step that returns
// false: it has changed nothing, and it reads the same words as the one before.
// Posts are refused at random, and Idle returns early at random.
type watchingPort struct {
	refusingPort
	fail    func(string)
	passes  *int             // that were compared
	changes int              // in this pass
	reads   []dimmnet.Offset // of this pass
	before  []dimmnet.Offset // of the pass before, if it idled and nothing arrived
	since   dimmnet.Mark
	idled   bool
}

func (p *watchingPort) changed(posted bool) bool {
	if posted {
		p.changes++
	}
	return posted
}

func (p *watchingPort) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	return p.changed(p.refusingPort.Store(dst, off, v, size))
}

func (p *watchingPort) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	return p.changed(p.refusingPort.Write(dst, off, b))
}

func (p *watchingPort) Push(dst dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.changed(p.refusingPort.Push(dst, from, to, n, done))
}

func (p *watchingPort) Pull(src dimmnet.Rank, from, to dimmnet.Offset, n int, done dimmnet.Offset) bool {
	return p.changed(p.refusingPort.Pull(src, from, to, n, done))
}

func (p *watchingPort) Fill(off dimmnet.Offset, b []byte) {
	p.changes++
	p.refusingPort.Fill(off, b)
}

func (p *watchingPort) Flip() {
	p.changes++
	p.refusingPort.Flip()
}

func (p *watchingPort) Read(b []byte, off dimmnet.Offset) {
	p.reads = append(p.reads, off)
	p.refusingPort.Read(b, off)
}

func (p *watchingPort) Load(off dimmnet.Offset) uint64 {
	p.reads = append(p.reads, off)
	return p.refusingPort.Load(off)
}

func (p *watchingPort) Arrivals() dimmnet.Mark {
	mark := p.refusingPort.Arrivals()
	p.before = nil
	if p.idled && mark == p.since {
		p.before = slices.Clone(p.reads)
	}
	p.since, p.idled, p.changes, p.reads = mark, false, 0, p.reads[:0]
	return mark
}

func (p *watchingPort) Idle(since dimmnet.Mark) {
	if p.changes > 0 {
		p.fail(fmt.Sprintf("a step without progress changed %d things", p.changes))
	}
	// What arrived during the pass may have changed where it went.
	if p.before != nil && p.Port.Arrivals() == since {
		*p.passes++
		if !slices.Equal(p.before, p.reads) {
			p.fail(fmt.Sprintf("one step read %v, the next %v", p.before, p.reads))
		}
	}
	p.idled = true
	if p.random.IntN(4) == 0 {
		p.refusingPort.Idle(since)
	}
}

func TestStepsArePure(t *testing.T) {
	start := rand.Uint64() >> 1
	for seed := start; seed < start+seeds(); seed++ {
		passes := make([]int, 8) // by rank
		runRandom(t, seed, func(p dimmnet.Port) dimmnet.Port {
			return &watchingPort{
				refusingPort: refusingPort{Port: p, random: rand.New(rand.NewPCG(seed, uint64(p.Rank())))},
				fail:         func(what string) { t.Errorf("seed %d, rank %d: %s", seed, p.Rank(), what) },
				passes:       &passes[p.Rank()],
			}
		})
		if passes[0]+passes[1] == 0 {
			t.Errorf("seed %d: no two passes were compared", seed)
		}
	}
}
