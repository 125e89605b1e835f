package fagus_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus"
)

// runThreaded runs a program on goroutines with helper threads.
func runThreaded(t *testing.T, nodes int, cfg inproc.Config, program func(*fagus.Node) error) (fagus.Report, error) {
	t.Helper()
	return runFor(t, fagus.Config{Nodes: nodes, Net: inproc.New(cfg), Mode: fagus.Threaded, Helpers: true}, program)
}

// eachThreaded runs a program with helper threads and with locks. It returns the errors.
func eachThreaded(t *testing.T, nodes int, program func(*fagus.Node) error) map[string]error {
	t.Helper()
	all := locked()
	maps.Copy(all, helped())
	errs := make(map[string]error)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		cfg := all[name]
		cfg.Nodes = nodes
		report, err := runFor(t, cfg, program)
		errs[name] = err
		for _, s := range report.Ranks {
			if cfg.Placement == fagus.PlaceShared && s.Requests+s.Takes+s.Transfers+s.Slots > 0 {
				t.Errorf("%s: rank %d has sent requests or data: %+v", name, s.Rank, s)
			}
		}
	}
	return errs
}

// TestThreadedCounter: ranks add to one counter, each a different number of times. In the end all
// see the sum.
func TestThreadedCounter(t *testing.T) {
	for nodes := 1; nodes <= 5; nodes++ {
		want := int64(0)
		for r := range nodes {
			want += 10 * int64(r+1)
		}
		errs := eachThreaded(t, nodes, func(n *fagus.Node) error {
			a, v, err := guarded[int64](n, 1)
			if err != nil {
				return err
			}
			set := n.Set(fagus.Want(v, fagus.Exclusive))
			for range 10 * (n.Rank() + 1) {
				if err := tenure(n, set, func() { a.Slice()[0]++ }); err != nil {
					return err
				}
			}
			if err := n.Update(); err != nil {
				return err
			}
			if got := a.Slice()[0]; got != want {
				t.Errorf("%d nodes: rank %d sees %d, want %d", nodes, n.Rank(), got, want)
			}
			return nil
		})
		for name, err := range errs {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// TestThreadedRandomPrograms runs the random programs of program_test.go in threaded mode.
func TestThreadedRandomPrograms(t *testing.T) {
	longtest.Third(t)
	for seed := range cases(100, 8) {
		nodes := 1 + int(seed%6)
		// The second configuration has slots of the smallest size.
		for _, cfg := range []inproc.Config{{}, {LLCM: 8 + 400*nodes}} {
			if _, err := runThreaded(t, nodes, cfg, newOracle(seed).program(seed)); err != nil {
				t.Fatalf("seed %d, %d nodes, %d bytes of LLCM: %v", seed, nodes, cfg.LLCM, err)
			}
		}
		for name, cfg := range locked() {
			o := newOracle(seed)
			o.lawful, o.reduces, o.rebinds = true, seed%2 == 0, int(seed%3)
			cfg.Nodes = nodes
			if _, err := runFor(t, cfg, o.program(seed)); err != nil {
				t.Fatalf("%s, seed %d, %d nodes: %v", name, seed, nodes, err)
			}
		}
	}
}

// TestThreadedLocks: ranks acquire random locks with random access, each a different number of
// times. Atomic counters outside the shared memory count the current holders.
func TestThreadedLocks(t *testing.T) {
	const locks = 4
	for seed := range cases(30, 6) {
		nodes := 2 + int(seed%4)
		var world *[3][locks]atomic.Int64
		program := func(n *fagus.Node) error {
			readers, writers, added := &world[0], &world[1], &world[2]
			random := rand.New(rand.NewPCG(seed, uint64(n.Rank())))
			counts, guards, err := counters(n, locks)
			if err != nil {
				return err
			}
			for range 20 + random.IntN(60)*n.Rank() {
				l, access := random.IntN(locks), []fagus.Access{fagus.Shared, fagus.Exclusive}[random.IntN(2)]
				set := n.Set(fagus.Want(guards[l], access))
				if err := n.Acquire(set); err != nil {
					return err
				}
				if got, want := counts.Slice()[l], added[l].Load(); got != want {
					return fmt.Errorf("counter %d is %d, want %d", l, got, want)
				}
				if access == fagus.Exclusive {
					if w, r := writers[l].Add(1), readers[l].Load(); w != 1 || r != 0 {
						return fmt.Errorf("counter %d has %d writers and %d readers", l, w, r)
					}
					counts.Slice()[l]++
					added[l].Add(1)
					writers[l].Add(-1)
				} else {
					readers[l].Add(1)
					if w := writers[l].Load(); w != 0 {
						return fmt.Errorf("counter %d is read during a write", l)
					}
					readers[l].Add(-1)
				}
				if err := n.Release(set); err != nil {
					return err
				}
			}
			return nil
		}
		all := locked()
		maps.Copy(all, helped())
		for name, cfg := range all {
			world, cfg.Nodes = new([3][locks]atomic.Int64), nodes
			if _, err := runFor(t, cfg, program); err != nil {
				t.Fatalf("%s, seed %d, %d nodes: %v", name, seed, nodes, err)
			}
		}
	}
}

// counters makes an array of numbers, each with its own variable.
func counters(n *fagus.Node, count int) (*fagus.Array[int64], []*fagus.SyncVar, error) {
	a, err := fagus.NewArray[int64](n, "counters", count)
	if err != nil {
		return nil, nil, err
	}
	var guards []*fagus.SyncVar
	for i := range count {
		v, err := n.Bind(fmt.Sprintf("lock %d", i), a.Range(i, i+1))
		if err != nil {
			return nil, nil, err
		}
		guards = append(guards, v)
	}
	return a, guards, nil
}

// TestThreadedReadersTogether: shared tenures overlap. Each rank waits in its tenure until all
// ranks are in theirs.
func TestThreadedReadersTogether(t *testing.T) {
	const nodes = 4
	var inside [8]atomic.Int64 // by run
	errs := eachThreaded(t, nodes, func(n *fagus.Node) error {
		_, guards, err := counters(n, 1)
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(guards[0], fagus.Shared))
		if err := n.Acquire(set); err != nil {
			return err
		}
		run := 0
		for inside[run].Load() == nodes {
			run++
		}
		for inside[run].Add(1); inside[run].Load() < nodes; runtime.Gosched() {
			if err := n.Err(); err != nil {
				return err
			}
		}
		return n.Release(set)
	})
	for name, err := range errs {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestThreadedIsIndependent: rank 0 acquires and releases while rank 1 computes in a tenure of
// another variable. Rank 1 computes until rank 0 has finished.
func TestThreadedIsIndependent(t *testing.T) {
	var done atomic.Bool
	errs := eachThreaded(t, 2, func(n *fagus.Node) error {
		a, guards, err := counters(n, 2)
		if err != nil {
			return err
		}
		// The other rank may be the initial owner.
		set := n.Set(fagus.Want(guards[n.Rank()], fagus.Exclusive))
		for turn := range 50 {
			if err := n.Acquire(set); err != nil {
				return err
			}
			a.Slice()[n.Rank()]++
			for n.Rank() == 1 && turn == 0 && !done.Load() {
				if err := n.Err(); err != nil {
					return err
				}
			}
			if err := n.Release(set); err != nil {
				return err
			}
		}
		done.Store(n.Rank() == 0) // rank 1 returns last
		return nil
	})
	for name, err := range errs {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestThreadedFailureWakesAll: a rank fails in its tenure while the others wait for the variable,
// wait in a Barrier, or compute. All of them return.
func TestThreadedFailureWakesAll(t *testing.T) {
	boom := errors.New("boom")
	for failing := range 4 {
		errs := eachThreaded(t, 4, func(n *fagus.Node) error {
			_, guards, err := counters(n, 1)
			if err != nil {
				return err
			}
			set := n.Set(fagus.Want(guards[0], fagus.Exclusive))
			switch (n.Rank() - failing + 4) % 4 {
			case 0:
				if err := n.Acquire(set); err != nil {
					return err
				}
				return boom
			case 1:
				for n.Err() == nil {
				}
				return n.Err()
			case 2:
				return n.Barrier()
			}
			for {
				if err := touch(n, set); err != nil {
					return err
				}
			}
		})
		for name, err := range errs {
			if !errors.Is(err, boom) {
				t.Errorf("%s: rank %d fails, but Run returns %v", name, failing, err)
			}
		}
	}
}

// TestThreadedConfig: configurations that threaded mode does not support give errors.
func TestThreadedConfig(t *testing.T) {
	for _, c := range []struct {
		cfg  fagus.Config
		want string
	}{
		{fagus.Config{Mode: fagus.Threaded, Transfer: fagus.Push}, "threaded mode moves data by rings, not by push"},
		{fagus.Config{Notices: true}, "fagus: Config.Notices needs mode threaded"},
		{fagus.Config{Helpers: true}, "fagus: Config.Helpers needs mode threaded"},
		{fagus.Config{Direct: true}, "fagus: Config.Direct needs mode threaded"},
		{fagus.Config{Mode: fagus.Threaded, Direct: true, Lists: fagus.ListsTree}, "fagus: Config.Direct is the papers' protocol"},
		{fagus.Config{Mode: 7}, "Config.Mode is 7: want phase or threaded"},
		{fagus.Config{Nodes: 3, Mode: fagus.Threaded, Net: inproc.New(inproc.Config{LLCM: 100})}, "3 nodes do not fit"},
	} {
		_, err := fagus.Run(t.Context(), c.cfg, func(*fagus.Node) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.cfg, err, c.want)
		}
	}
}

// TestThreadedCounts compares the counts of a run with the messages that it must send.
func TestThreadedCounts(t *testing.T) {
	const turns = 10
	report, err := runThreaded(t, 2, inproc.Config{}, func(n *fagus.Node) error {
		a, v, err := guarded[byte](n, 10_000)
		if err != nil {
			return err
		}
		set := n.Set(fagus.Want(v, fagus.Exclusive).Writing(a.All()))
		for turn := range 2 * turns {
			if turn%2 == n.Rank() {
				if err := touch(n, set); err != nil {
					return err
				}
			}
			if err := n.Barrier(); err != nil {
				return err
			}
		}
		return n.Update()
	})
	if err != nil {
		t.Fatal(err)
	}
	for r, s := range report.Ranks {
		c := s.Messages()
		// Rank 0 is the initial owner and requests what Update brings; rank 1 is the last owner.
		if s.Requests != turns || s.Transfers != turns || s.Slots != 3*turns || c.Writes < 3*turns || c.Polls == 0 {
			t.Errorf("rank %d: unexpected counts: %d requests, %d transfers in %d slots, %+v", r, s.Requests, s.Transfers, s.Slots, c)
		}
	}
}
