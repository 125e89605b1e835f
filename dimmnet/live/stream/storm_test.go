package stream

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

var storms = flag.Int("storms", 40, "number of runs of TestWakeStorm")

// endless is a pipePoll whose Wait ignores its bound: nothing makes up for a lost wake-up.
type endless struct{ *pipePoll }

func (e endless) Wait(ready []dimmnet.Rank, atMost time.Duration) []dimmnet.Rank {
	if atMost > 0 {
		atMost = 2 * patient
	}
	return e.pipePoll.Wait(ready, atMost)
}

// newPair returns two ranks that are connected by pipes, with endless polls.
func newPair() (nodes [2]*node) {
	bells := [2]bell{make(bell, 1), make(bell, 1)}
	there, back := &pipe{reader: bells[1], writer: bells[0]}, &pipe{reader: bells[0], writer: bells[1]}
	ends := [2]pipes{{in: back, out: there}, {in: there, out: back}}
	cfg := Config{Network: "storm", Limits: dimmnet.Limits{Store: word, LLCM: 256, Block: 64}, Helped: true, Patience: time.Hour}
	for self := range nodes {
		streams := make([]Stream, 2)
		streams[1-self] = ends[self]
		l := &Links{Streams: streams, Near: make([]bool, 2), Poll: endless{&pipePoll{bell: bells[self], streams: streams}}}
		nodes[self] = newNode(&run{cfg: cfg, load: newLoad(), start: time.Now()}, dimmnet.Rank(self), l)
	}
	return nodes
}

// await waits until a word of the rank is at least v, or the run has failed.
func await(p *port, off dimmnet.Offset, v uint64) {
	for {
		mark := p.Arrivals()
		if p.Err() != nil || p.Load(off) >= v {
			return
		}
		p.Idle(mark)
	}
}

// volley makes two threads answer each other through words of their ranks, at off and off+8.
func volley(all *sync.WaitGroup, rounds uint64, a, b *port, off dimmnet.Offset) {
	all.Go(func() {
		for k := uint64(1); k <= rounds; k++ {
			a.Store(b.node.rank, off, k, word)
			await(a, off+word, k)
		}
	})
	all.Go(func() {
		for k := uint64(1); k <= rounds; k++ {
			await(b, off, k)
			b.Store(a.node.rank, off+word, k, word)
		}
		_ = b.Err() // sends the last answer
	})
}

// circle makes three threads of a rank wake each other by events, one after another.
func circle(all *sync.WaitGroup, rounds int, n *node) {
	events := []*event{{node: n}, {node: n}, {node: n}}
	for i, e := range events {
		next := events[(i+1)%len(events)]
		all.Go(func() {
			for k := range rounds {
				if err := e.Wait(); err != nil {
					return
				}
				if i < len(events)-1 || k < rounds-1 {
					next.Set()
				}
			}
		})
	}
	events[0].Set()
}

// silent makes a thread post to another rank, and then wait without calls of its port.
func silent(all *sync.WaitGroup, rounds uint64, a, b *port, off dimmnet.Offset) {
	landed := make(chan struct{})
	all.Go(func() {
		for k := uint64(1); k <= rounds; k++ {
			a.Store(b.node.rank, off, k, word)
			<-landed
		}
	})
	all.Go(func() {
		for k := uint64(1); k <= rounds; k++ {
			await(b, off, k)
			landed <- struct{}{}
		}
	})
}

// TestWakeStorm checks that no wake-up is lost while threads of two ranks wake each other: first
// in one way at a time, so that nothing else makes up for a lost wake-up, and then in all ways. In
// some storms two more threads of one rank, or of both, sleep meanwhile, and may be the leader. At
// the end the run fails. With the build tag fagusdelay the test finds a lost wake-up in seconds.
func TestWakeStorm(t *testing.T) {
	const rounds = 30
	for storm := range *storms {
		nodes := newPair()
		a, b := nodes[0], nodes[1]
		var sleepers, all sync.WaitGroup
		for _, n := range nodes[:storm%3] {
			sleepers.Go(func() { await(n.newPort("sleeper"), 128, 1) })
			sleepers.Go(func() { _ = (&event{node: n}).Wait() })
		}
		off := dimmnet.Offset(0)
		ways := []func(){
			func() { volley(&all, rounds, a.newPort("1"), b.newPort("1"), off) },
			func() { volley(&all, rounds, a.newPort("2"), a.newPort("3"), off) },
			func() { circle(&all, rounds, a) },
			func() { silent(&all, rounds/10, a.newPort("4"), b.newPort("4"), off) },
		}
		for i, way := range ways {
			way()
			inTime(t, storm, fmt.Sprintf("way %d: the threads do not wake each other", i), all.Wait)
			off += 2 * word
		}
		for _, way := range ways {
			way()
			off += 2 * word
		}
		inTime(t, storm, "the threads do not wake each other", all.Wait)

		time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
		boom := errors.New("boom")
		a.fail(0, boom, boom)
		inTime(t, storm, "threads sleep after the failure", sleepers.Wait)
		inTime(t, storm, "close does not end", func() { a.close(); b.close() })
	}
}

func inTime(t *testing.T, storm int, late string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		do()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(patient):
		t.Fatalf("storm %d: %s", storm, late)
	}
}
