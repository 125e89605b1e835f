package mpi

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

var (
	programs = flag.Int("programs", 300, "random programs of TestRandomPrograms")
	seed     = flag.Uint64("seed", 0, "seed of its first program; 0: any")
)

// describe formats a program and the result of a run.
func (p *program) describe(o *observation) string {
	text := fmt.Sprintf("%d nodes, %+v\n", p.nodes, p.opts)
	for rank, lines := range p.lines {
		for i, l := range lines {
			x := &o.outcomes[rank][i]
			text += fmt.Sprintf("rank %d, line %2d: %-7v comm %d peer %2d tag %2d n %4d async %-5v on %v: started %v returned %v done %v %+v %v\n",
				rank, i, l.verb, l.comm, l.peer, l.tag, l.n, l.async, l.on, x.started, x.returned, x.done, x.status, x.short)
		}
	}
	return text
}

// TestRandomPrograms checks runs of random programs on several networks with the oracle.
func TestRandomPrograms(t *testing.T) {
	first, count := *seed, *programs
	if first == 0 {
		first = rand.Uint64() >> 20
	}
	if count == 300 {
		count = longtest.Cases(count, 100)
		if testing.Short() {
			count = 50
		}
	}
	deadlocks, runs := 0, 0
	for i := range uint64(count) {
		p := generate(first + i)
		list := []testNetwork{
			{"inproc", func() dimmnet.Network { return inproc.New(inproc.Config{}) }},
			{"inproc that refuses", func() dimmnet.Network { return grudging(inproc.New(inproc.Config{}), p.seed) }},
			{"sim", func() dimmnet.Network { return simulated(sim.Config{}) }},
			{"sim with delays", func() dimmnet.Network { return simulated(sim.Config{Seed: p.seed}) }},
		}
		if i%2 == 0 && runtime.GOOS == "linux" && !p.wild() {
			// This network detects a deadlock only by a timeout. Without wildcards, a deadlock
			// is one on all networks.
			list = append(list, testNetwork{"shm", func() dimmnet.Network { return shm.New(shm.Config{Patience: 20 * time.Second}) }})
		}
		before := deadlocks
		for _, network := range list {
			if network.name == "shm" && deadlocks > before {
				continue
			}
			o, err := p.observe(narrow(network.new()))
			if err == nil {
				err = p.judge(o)
			}
			if err != nil {
				t.Fatalf("%v\n%s-seed %d -programs 1, on %s: %v", err, p.describe(o), p.seed, network.name, err)
			}
			runs++
			if o.deadlock {
				deadlocks++
			}
		}
	}
	t.Logf("seed %d: %d programs, %d runs, of which %d deadlock", first, count, runs, deadlocks)
}

// TestSkippedPolls checks that a run that skips polling passes without an effect, a run of all
// passes, and a second such run have the same trace.
func TestSkippedPolls(t *testing.T) {
	first, compared := rand.Uint64()>>20, 0
	for i := range uint64(30) {
		p := generate(first + i)
		var hashes []uint64
		for _, spin := range []bool{false, false, true} {
			network := simulated(sim.Config{Seed: p.seed % 3, MaxDelay: 3 * dimmnet.Microsecond, Spin: spin})
			o, err := p.observe(narrow(network))
			if err != nil {
				t.Fatalf("seed %d: %v", p.seed, err)
			}
			if o.deadlock {
				break // with all passes the run would not end
			}
			hashes = append(hashes, network.Result().TraceHash)
		}
		if len(hashes) == 3 {
			compared++
			if hashes[0] != hashes[1] || hashes[0] != hashes[2] {
				t.Errorf("seed %d: trace hashes %x", p.seed, hashes)
			}
		}
	}
	if compared == 0 {
		t.Error("all programs deadlock")
	}
}

// reluctant refuses posts at random.
type reluctant struct {
	dimmnet.Port
	random  *rand.Rand
	refused bool
}

func (p *reluctant) refuse() bool {
	p.refused = p.random.IntN(3) == 0
	return p.refused
}

func (p *reluctant) Store(dst dimmnet.Rank, off dimmnet.Offset, v uint64, size int) bool {
	return !p.refuse() && p.Port.Store(dst, off, v, size)
}

func (p *reluctant) Write(dst dimmnet.Rank, off dimmnet.Offset, b []byte) bool {
	return !p.refuse() && p.Port.Write(dst, off, b)
}

// Idle returns when a refused post may succeed.
func (p *reluctant) Idle(since dimmnet.Mark) {
	if p.refused {
		p.refused = false
		return
	}
	p.Port.Idle(since)
}

// grudging is network with reluctant ports.
func grudging(network dimmnet.Network, seed uint64) dimmnet.Network {
	return porttest.Wrap(network, func(p dimmnet.Port) dimmnet.Port {
		return &reluctant{Port: p, random: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
	})
}
