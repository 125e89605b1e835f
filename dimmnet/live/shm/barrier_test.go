//go:build linux

package shm

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestNoLostWakeUp lets rank 1 go to sleep while rank 0 posts, thousands of times at moments that
// differ by about ten nanoseconds. Rank 0 may read that rank 1 is awake before its post is
// visible. So without rank 1's barrier some of these sleeps would not end.
func TestNoLostWakeUp(t *testing.T) {
	t.Run("a processor each", func(t *testing.T) { testNoLostWakeUp(t, 2, 100) })
	t.Run("too few processors", func(t *testing.T) { testNoLostWakeUp(t, runtime.NumCPU()+1, 1000) })
}

// testNoLostWakeUp lets rank 1 begin to sleep after up to spread reads: without membarrier that is
// fast.
func testNoLostWakeUp(t *testing.T, ranks, spread int) {
	const rounds = 5000
	r, ports := newTestRun(t, ranks)
	r.patience = 5 * time.Second
	seed := rand.Uint64()
	if !r.barriers {
		t.Log("posts are sequentially consistent here")
	}
	p := ports[1]
	var ready atomic.Uint64
	go func() {
		runtime.LockOSThread()
		random := rand.New(rand.NewPCG(seed, 0))
		for round := uint64(1); round <= rounds; round++ {
			for ready.Load() < round {
				if r.Failed() {
					return
				}
			}
			for range random.IntN(200) {
				p.own.asleep.Load() // the cache line is here, and the line of the word is not
			}
			ports[0].Store(1, 0, round, word)
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	random, slept := rand.New(rand.NewPCG(seed, 1)), 0
	for round := uint64(1); round <= rounds; round++ {
		p.announces = true // as after a long poll
		p.own.asleep.Store(0)
		ready.Store(round)
		for range random.IntN(spread) {
			ready.Load()
		}
		for mark := p.Arrivals(); p.Load(0) < round; mark = p.Arrivals() {
			if mark != dimmnet.Awake {
				slept++
			}
			p.Idle(mark)
			if err := p.Err(); err != nil {
				t.Fatalf("seed %d, round %d: %v", seed, round, err)
			}
		}
	}
	t.Logf("%d of %d rounds slept", slept, rounds)
}

// TestBarriers checks that ranks post without barriers only if every rank's process has registered,
// and every rank has a processor.
func TestBarriers(t *testing.T) {
	cfg, err := Config{LLCM: pageBytes, Heap: pageBytes}.withDefaults(2)
	if err != nil {
		t.Fatal(err)
	}
	segments := make([]*segment, 2)
	for rank := range segments {
		if segments[rank], err = newLocal(&cfg); err != nil {
			t.Fatal(err)
		}
		defer segments[rank].unmapLocal()
	}
	for _, c := range [][2]uint64{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
		segments[0].barriers, segments[1].barriers = c[0], c[1]
		for procs := 1; procs <= 3; procs++ {
			if got, want := cheapBarriers(segments, procs), c == [2]uint64{1, 1} && procs >= 2; got != want {
				t.Errorf("registered: %v, %d processors: cheap barriers: %t, want %t", c, procs, got, want)
			}
		}
	}
	if registerBarriers() {
		if err := barrierEverywhere(); err != nil {
			t.Error(err)
		}
	}
}
