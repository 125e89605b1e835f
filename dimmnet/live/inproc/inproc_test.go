package inproc_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPort(t *testing.T) {
	network := func() dimmnet.Network { return inproc.New(inproc.Config{}) }
	porttest.Run(t, network)
}

// TestPortSmall runs the suite with an LLCM whose size is not a multiple of 8.
func TestPortSmall(t *testing.T) {
	longtest.Need(t)
	porttest.Run(t, func() dimmnet.Network { return inproc.New(inproc.Config{LLCM: 24001}) })
}

// TestPortPolls runs the suite with threads that poll before they sleep. GOMAXPROCS is set so high
// that each thread seems to have a processor.
func TestPortPolls(t *testing.T) {
	if testing.Short() {
		t.Skip("short: the default config suffices")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	porttest.Run(t, func() dimmnet.Network { return inproc.New(inproc.Config{Poll: 50 * time.Microsecond}) })
}

// TestPortBulk runs the suite with bulk memory of one side, as on real networks, and of two.
func TestPortBulk(t *testing.T) {
	for name, cfg := range map[string]inproc.Config{
		"8 KiB":                    {Bulk: 8 << 10},
		"8 KiB banks":              {Bulk: 8 << 10, Banks: true},
		"1 MiB":                    {Bulk: 1 << 20},
		"banks and a small window": {LLCM: 24001, Bulk: 70001, Banks: true},
	} {
		t.Run(name, func(t *testing.T) {
			if !cfg.Banks {
				longtest.Need(t)
			}
			network := func() dimmnet.Network { return inproc.New(cfg) }
			porttest.Run(t, network)
		})
	}
}

// TestOneProcessor runs the suite without parallelism.
func TestOneProcessor(t *testing.T) {
	longtest.Need(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	TestPort(t)
}

// never waits for a value that does not come.
func never(h dimmnet.Host) error {
	w := &turn{port: h.Port()}
	return w.await(stop - 1)
}

// TestDeadlockNamesRanks checks that the error lists the waiting ranks, whichever of them falls
// asleep last.
func TestDeadlockNamesRanks(t *testing.T) {
	const want = "inproc: deadlock: ranks [0 2] wait and nothing is in flight"
	for i := range 300 {
		err := inproc.New(inproc.Config{}).Run(t.Context(), 3, func(h dimmnet.Host) error {
			for range (i + 7*int(h.Port().Rank())) % 20 {
				h.Port().Store(0, 8, 1, 8)
				runtime.Gosched()
			}
			if h.Port().Rank() == 1 {
				return nil
			}
			return never(h)
		})
		if err == nil || err.Error() != want {
			t.Fatalf("run %d: %v, want %s", i, err, want)
		}
	}
}

// TestDeadlockOfMany checks that a long list of ranks is truncated.
func TestDeadlockOfMany(t *testing.T) {
	err := inproc.New(inproc.Config{LLCM: 64}).Run(t.Context(), 40, never)
	if err == nil || !strings.Contains(err.Error(), " 30 31] and 8 more wait") {
		t.Fatal(err)
	}
}

// TestNoFalseDeadlock sends tokens between random ranks, most of which are asleep at any time. The
// run ends when all tokens are used up.
func TestNoFalseDeadlock(t *testing.T) {
	const nodes, tokens, hops = 12, 3, 4000
	seed := rand.Uint64()
	err := inproc.New(inproc.Config{}).Run(t.Context(), nodes, func(h dimmnet.Host) error {
		p := h.Port()
		r := rand.New(rand.NewPCG(seed, uint64(p.Rank())))
		bag := &bag{port: p, r: r}
		if p.Rank() < tokens {
			bag.pass(hops)
		}
		return dimmnet.Drive(p, bag, func() bool { return bag.ended == tokens })
	})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
}

// bag passes tokens on. A token is the number of hops left. The sender stores the token in its own
// word at the receiver; the receiver clears that word and the sender's busy flag. When a token has
// no hops left, its holder counts the token as ended at all ranks.
type bag struct {
	port  dimmnet.Port
	r     *rand.Rand
	held  []uint64 // tokens that this rank must pass on
	ended int      // number of tokens without hops left
}

func (b *bag) at(area int, r dimmnet.Rank) dimmnet.Offset {
	return dimmnet.Offset(area*512 + int(r)*8)
}

const (
	areaToken = iota
	areaBusy  // set by this rank: the peer has not taken the last token yet
	areaEnded
)

func (b *bag) pass(hops uint64) { b.held = append(b.held, hops) }

func (b *bag) Step() (bool, error) {
	p, progress, ended := b.port, false, uint64(0)
	for r := range dimmnet.Rank(p.Nodes()) {
		if hops := p.Load(b.at(areaToken, r)); hops != 0 {
			progress = true
			p.Store(p.Rank(), b.at(areaToken, r), 0, 8)
			p.Store(r, b.at(areaBusy, p.Rank()), 0, 8)
			b.pass(hops - 1)
		}
		ended += p.Load(b.at(areaEnded, r))
	}
	if int(ended) != b.ended {
		b.ended, progress = int(ended), true
	}
	held := b.held
	b.held = nil
	for _, hops := range held {
		next := dimmnet.Rank(b.r.IntN(p.Nodes()))
		switch {
		case hops == 0:
			progress = true
			mine := p.Load(b.at(areaEnded, p.Rank())) + 1
			for r := range dimmnet.Rank(p.Nodes()) {
				p.Store(r, b.at(areaEnded, p.Rank()), mine, 8)
			}
		case p.Load(b.at(areaBusy, next)) != 0:
			progress = true // the next step chooses another rank
			b.pass(hops)
		default:
			progress = true
			p.Store(p.Rank(), b.at(areaBusy, next), 1, 8)
			p.Store(next, b.at(areaToken, p.Rank()), hops, 8)
		}
	}
	return progress, nil
}

func TestGoexit(t *testing.T) {
	err := inproc.New(inproc.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		if h.Port().Rank() == 1 {
			runtime.Goexit()
		}
		return never(h)
	})
	if err == nil || err.Error() != "inproc: rank 1 called runtime.Goexit" {
		t.Fatal(err)
	}
}

// TestPanic checks that the error contains the stack and the value of the panic, and wraps a value
// that is an error.
func TestPanic(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		value any
		want  string
	}{
		{boom, "boom"},
		{4711, "4711"},
		{nil, "panic called with nil argument"},
	} {
		err := inproc.New(inproc.Config{}).Run(t.Context(), 1, func(dimmnet.Host) error { panic(c.value) })
		for _, want := range []string{"inproc: rank 0 panicked: " + c.want, "inproc_test.go:"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("panic(%v): %v, want an error with %q", c.value, err, want)
			}
		}
		if c.value == boom && !errors.Is(err, boom) {
			t.Errorf("panic(%v): the error does not wrap it", c.value)
		}
	}
}

// TestFailedPort checks that a failed port reports which rank failed, and posts nothing.
func TestFailedPort(t *testing.T) {
	boom := errors.New("boom")
	var seen error
	err := inproc.New(inproc.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 1 {
			return boom
		}
		seen = never(h)
		before, mark := p.Counters(), p.Arrivals()
		if p.Store(0, 8, 1, 8) || p.Write(0, 8, []byte{1}) || p.Push(0, 64, 8, 8, 16) || p.Pull(1, 64, 8, 8, 16) {
			return errors.New("a failed port has posted")
		}
		if c := p.Counters(); c != before || p.Arrivals() != mark {
			return fmt.Errorf("a failed port counts posts: %+v, before %+v", c, before)
		}
		if got := p.Load(8); got != 0 {
			return fmt.Errorf("a failed port has stored %#x, want 0", got)
		}
		seen = errors.Join(seen, p.Err())
		return nil
	})
	if err != boom {
		t.Errorf("Run returned %v, want %v", err, boom)
	}
	if want := "inproc: rank 1 failed: boom\ninproc: rank 1 failed: boom"; seen == nil || seen.Error() != want || !errors.Is(seen, boom) {
		t.Errorf("Drive and Err returned\n%v, want\n%s", seen, want)
	}
}

// TestCause checks that the error wraps both the error of the context and its cause.
func TestCause(t *testing.T) {
	boom := errors.New("boom")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(boom)
	err := inproc.New(inproc.Config{}).Run(ctx, 1, never)
	if !errors.Is(err, boom) || !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// TestCancelledAtTheEnd checks that a run fails if its context is done before the last body
// returns, even if the function that watches the context runs late.
func TestCancelledAtTheEnd(t *testing.T) {
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		err := inproc.New(inproc.Config{}).Run(ctx, 1, func(dimmnet.Host) error { cancel(); return nil })
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

func TestBadArguments(t *testing.T) {
	fine := func(dimmnet.Host) error { return nil }
	for _, c := range []struct {
		cfg   inproc.Config
		nodes int
		body  func(dimmnet.Host) error
		want  string
	}{
		{inproc.Config{}, 0, fine, "inproc: a run of 0 nodes: want 1 to 65536"},
		{inproc.Config{}, dimmnet.MaxNodes + 1, fine, "inproc: a run of 65537 nodes: want 1 to 65536"},
		{inproc.Config{}, dimmnet.MaxNodes, fine, "inproc: 65536 nodes with 2147483648 bytes of LLCM each: more than 274877906944 in all, set a smaller Config.LLCM"},
		{inproc.Config{LLCM: -1}, 1, fine, "inproc: config out of range: {LLCM:-1 Bulk:0 Banks:false Poll:0s Patience:0s Grace:0s}"},
		{inproc.Config{LLCM: 1<<32 + 1}, 1, fine, "inproc: config out of range: {LLCM:4294967297 Bulk:0 Banks:false Poll:0s Patience:0s Grace:0s}"},
		{inproc.Config{Patience: -1}, 1, fine, "inproc: config out of range: {LLCM:0 Bulk:0 Banks:false Poll:0s Patience:-1ns Grace:0s}"},
		{inproc.Config{Grace: -1}, 1, fine, "inproc: config out of range: {LLCM:0 Bulk:0 Banks:false Poll:0s Patience:0s Grace:-1ns}"},
		{inproc.Config{}, 1, nil, "inproc: running a nil body: want a function"},
	} {
		if err := inproc.New(c.cfg).Run(t.Context(), c.nodes, c.body); err == nil || err.Error() != c.want {
			t.Errorf("%+v, %d nodes: %v, want %s", c.cfg, c.nodes, err, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		llcm, nodes int
		want        dimmnet.Limits
	}{
		{0, 1, dimmnet.Limits{Store: 8, Block: 4096, RDMA: 128 << 10, LLCM: 128 << 10}},
		{0, 64, dimmnet.Limits{Store: 8, Block: 4096, RDMA: 2 << 20, LLCM: 2 << 20}},
		{5001, 2, dimmnet.Limits{Store: 8, Block: 4096, RDMA: 5008, LLCM: 5008}},
		{1, 2, dimmnet.Limits{Store: 8, Block: 8, RDMA: 8, LLCM: 8}},
	} {
		err := inproc.New(inproc.Config{LLCM: c.llcm}).Run(t.Context(), c.nodes, func(h dimmnet.Host) error {
			if l := h.Port().Limits(); l != c.want {
				return fmt.Errorf("the limits are %+v, want %+v", l, c.want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("LLCM %d, %d nodes: %v", c.llcm, c.nodes, err)
		}
	}
}

// lap sends v once around all ranks.
func lap(h dimmnet.Host, v uint64) error {
	p, w := h.Port(), &turn{port: h.Port()}
	next := dimmnet.Rank((int(p.Rank()) + 1) % p.Nodes())
	if p.Rank() == 0 {
		p.Store(next, 0, v, 8)
		return w.await(v)
	}
	err := w.await(v)
	p.Store(next, 0, v, 8)
	return err
}

// TestRunsAtOnce checks that concurrent runs of one network do not affect each other.
func TestRunsAtOnce(t *testing.T) {
	network := inproc.New(inproc.Config{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			err := network.Run(t.Context(), 3, func(h dimmnet.Host) error {
				for v := uint64(1); v <= 500; v++ {
					if err := lap(h, v); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("run %d: %v", i, err)
			}
		})
	}
	all.Wait()
}

// TestManyNodes runs far more ranks than there are processors.
func TestManyNodes(t *testing.T) {
	err := inproc.New(inproc.Config{LLCM: 64}).Run(t.Context(), 3000, func(h dimmnet.Host) error { return lap(h, 1) })
	if err != nil {
		t.Fatal(err)
	}
}

// TestNow checks that Now returns picoseconds since the start of the run.
func TestNow(t *testing.T) {
	err := inproc.New(inproc.Config{}).Run(t.Context(), 1, func(h dimmnet.Host) error {
		time.Sleep(time.Millisecond)
		if now := h.Now(); now < dimmnet.Millisecond || now > 60*dimmnet.Second {
			return fmt.Errorf("after 1 ms, Now is %v", now)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
