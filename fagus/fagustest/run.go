package fagustest

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
)

const (
	testNodes, benchmarkNodes = 3, 2

	testTime      = time.Minute // for a run, which then fails with a roll-call
	benchmarkTime = 10 * time.Minute
)

// Run runs program as every rank of cfg.
//
// In a test it does so in both modes, on goroutines and on a simulated network, or on cfg.Net only
// if that is set; each is a subtest of a *testing.T. cfg.Nodes 0 is 3. On Linux the accesses of the
// program are checked, unless cfg.Placement is fagus.PlaceShared.
//
// In a benchmark it runs program as cfg says, with 2 ranks if cfg.Nodes is 0, on goroutines if
// cfg.Net is nil. What is timed is the Loop of the program or, without one, the whole program with
// the set-up of its ranks. On a simulated network (Simulated) ns/op is in virtual time, and
// wall-ns/op in that of this machine.
//
// An error of the program fails the test, as a panic of it does, or a run that takes more than a
// minute (10 in a benchmark).
func Run(tb testing.TB, cfg fagus.Config, program func(n *fagus.Node) error) {
	tb.Helper()
	if b, ok := tb.(*testing.B); ok {
		runBenchmark(b, cfg, program)
		return
	}
	cfg.Nodes = cmp.Or(cfg.Nodes, testNodes)
	if cfg.Check == fagus.CheckOff && cfg.Placement != fagus.PlaceShared && runtime.GOOS == "linux" {
		cfg.Check = fagus.CheckOn
	}
	type network struct {
		name string
		make func() dimmnet.Network
	}
	networks := []network{{"net", func() dimmnet.Network { return cfg.Net }}}
	if cfg.Net == nil {
		networks = []network{{"inproc", func() dimmnet.Network { return nil }}, {"dimmnet1", func() dimmnet.Network { return Simulated(tb) }}}
	}
	for _, net := range networks {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			on := cfg
			on.Net, on.Mode = net.make(), mode
			name := fmt.Sprintf("%s/%v", net.name, mode)
			if t, ok := tb.(*testing.T); ok {
				t.Run(name, func(t *testing.T) { runOnce(t, context.Background(), testTime, name, on, program) })
				continue
			}
			runOnce(tb, context.Background(), testTime, name, on, program)
		}
	}
}

// Simulated returns a simulated DIMMnet-1 network, for Config.Net.
func Simulated(tb testing.TB) dimmnet.Network {
	tb.Helper()
	net, err := sim.New(sim.Config{})
	if err != nil {
		tb.Fatalf("fagustest: %v", err)
	}
	return net
}

// runOnce runs the program, and reports an error with what the ranks did.
func runOnce(tb testing.TB, ctx context.Context, limit time.Duration, name string, cfg fagus.Config, program func(n *fagus.Node) error) {
	tb.Helper()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the run has not ended within %v", limit))
	defer cancel()
	if cfg.RollCall.To == nil {
		cfg.RollCall.To = func(r fagus.Roll) { tb.Log(r) }
	}
	report, err := fagus.Run(ctx, cfg, program)
	if err != nil {
		tb.Errorf("%d ranks, %s: %v\n%v", cfg.Nodes, name, err, report.Roll)
	}
}

// benchmark is what the ranks of a benchmark share.
type benchmark struct {
	*testing.B
	loops   atomic.Int64
	virtual fagus.Time // of all loops, by the clock of rank 0
}

// key is the key of the benchmark in the context of a run.
type key struct{}

func runBenchmark(b *testing.B, cfg fagus.Config, program func(n *fagus.Node) error) {
	b.Helper()
	cfg.Nodes = cmp.Or(cfg.Nodes, benchmarkNodes)
	name := cfg.Mode.String()
	s := &benchmark{B: b}
	ctx := context.WithValue(context.Background(), key{}, s)
	b.StopTimer()
	b.ResetTimer()
	runOnce(b, ctx, benchmarkTime, name, cfg, program)
	if s.loops.Load() == 0 && !b.Failed() {
		b.StartTimer()
		for range b.N {
			report, err := fagus.Run(context.Background(), cfg, program)
			if err != nil {
				b.Fatal(err)
			}
			s.virtual += slowest(report)
		}
		b.StopTimer()
	}
	if cfg.Net != nil && cfg.Net.Clock() == dimmnet.Virtual {
		b.ReportMetric(float64(s.virtual.Nanoseconds())/float64(b.N), "ns/op")
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "wall-ns/op")
	}
}

// slowest returns the time of the slowest rank.
func slowest(r fagus.Report) (most fagus.Time) {
	for i := range r.Ranks {
		most = max(most, r.Ranks[i].Total())
	}
	return most
}

// Loop returns the iterations of a benchmark, of which all ranks make the same number: testing.B.N,
// so that they need no messages to agree on another one. It begins and ends with a Barrier, and
// only what is between is timed. In a test, and in any other run, there is one iteration.
//
// Every rank must call it in the same places, and go through all iterations.
func Loop(n *fagus.Node) iter.Seq[int] {
	return func(yield func(int) bool) {
		b, ok := n.Context().Value(key{}).(*benchmark)
		if !ok {
			yield(0)
			return
		}
		if n.Barrier() != nil { // the error sticks
			return
		}
		begin := n.Now()
		if n.Rank() == 0 {
			b.loops.Add(1)
			b.StartTimer()
		}
		for i := 0; i < b.N && n.Err() == nil && yield(i); i++ {
		}
		_ = n.Barrier() // the error sticks, too
		if n.Rank() == 0 {
			b.StopTimer()
			b.virtual += n.Now() - begin
		}
	}
}
