package fagustest_test

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
)

// add adds 1 to a shared sum at every rank, once for each iteration, and checks the sum.
func add(n *fagus.Node, loops *atomic.Int64) error {
	sum := fagus.NewGuarded[int64](n, "sum", 1)
	set := n.Set(sum.Write().Unordered())
	rounds := 0
	for range fagustest.Loop(n) {
		set.Do(func() { sum.Slice()[0]++ })
		rounds++
		loops.Add(1)
	}
	_ = n.Fence()
	var got int64
	n.Set(sum.Read()).Do(func() { got = sum.Slice()[0] })
	if want := int64(rounds * n.Nodes()); n.Err() == nil && got != want {
		return fmt.Errorf("the sum is %d, want %d", got, want)
	}
	return n.Err()
}

// TestRun: a program runs in both modes on two networks, and a Loop has one iteration.
func TestRun(t *testing.T) {
	var mu sync.Mutex
	var ran []string
	var loops atomic.Int64
	fagustest.Run(t, fagus.Config{}, func(n *fagus.Node) error {
		if n.Rank() == 2 {
			mu.Lock()
			ran = append(ran, fmt.Sprint(n.Nodes(), n.Mode(), n.Virtual()))
			mu.Unlock()
		}
		return add(n, &loops)
	})
	if want := []string{"3 phase false", "3 threaded false", "3 phase true", "3 threaded true"}; !slices.Equal(ran, want) {
		t.Errorf("the program ran as %q, want %q", ran, want)
	}
	if got := loops.Load(); got != 12 {
		t.Errorf("%d iterations, want one at each of 3 ranks in 4 runs", got)
	}
}

// recorder is a test that fails.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	errors []string
}

func (r *recorder) Helper()    {}
func (r *recorder) Log(...any) {}
func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// TestFailures: an error fails every run of a test, and so do a panic and an access to data that
// are not held.
func TestFailures(t *testing.T) {
	for what, tt := range map[string]struct {
		want    string
		program func(n *fagus.Node) error
	}{
		"error": {"rank 1: too few", func(n *fagus.Node) error {
			if n.Rank() == 1 {
				return errors.New("too few")
			}
			return n.Barrier()
		}},
		"panic": {"boom", func(n *fagus.Node) error {
			if n.Rank() == 1 {
				panic("boom")
			}
			return n.Barrier()
		}},
		"not held": {"x", func(n *fagus.Node) error {
			x := fagus.NewGuarded[int64](n, "x", 1000)
			_ = n.Barrier()
			x.Slice()[7]++
			return n.Barrier()
		}},
	} {
		r := &recorder{TB: t}
		fagustest.Run(r, fagus.Config{}, tt.program)
		if len(r.errors) != 4 || !strings.Contains(r.errors[0], tt.want) || !strings.Contains(r.errors[3], "3 ranks, dimmnet1/threaded: ") {
			t.Errorf("%s: the test has the errors %q, want 4 with %q", what, r.errors, tt.want)
		}
	}
}

// TestBenchmark: all ranks make the same iterations, of which the time is reported, in virtual time
// on a simulated network. Without a Loop the whole program is an iteration.
func TestBenchmark(t *testing.T) {
	benchtime := flag.Lookup("test.benchtime")
	before := benchtime.Value.String()
	if err := flag.Set("test.benchtime", "20x"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = flag.Set("test.benchtime", before) }() // it was valid
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		var loops atomic.Int64
		r := testing.Benchmark(func(b *testing.B) {
			loops.Store(0)
			fagustest.Run(b, fagus.Config{Nodes: 3, Mode: mode, Net: fagustest.Simulated(b)}, func(n *fagus.Node) error {
				n.Spend(fagus.Second)
				for range fagustest.Loop(n) {
					n.Spend(fagus.Millisecond)
					loops.Add(1)
				}
				n.Spend(fagus.Second)
				return n.Err()
			})
		})
		if r.N != 20 || loops.Load() != 60 {
			t.Errorf("%v mode: N is %d, and the ranks make %d iterations: want 20 and 60", mode, r.N, loops.Load())
		}
		if ns := r.Extra["ns/op"]; ns < 1e6 || ns > 1.2e6 {
			t.Errorf("%v mode: an iteration of 1 ms in virtual time takes %v ns/op", mode, ns)
		}
		whole := testing.Benchmark(func(b *testing.B) {
			fagustest.Run(b, fagus.Config{Mode: mode}, func(n *fagus.Node) error {
				time.Sleep(time.Millisecond)
				return nil
			})
		})
		if whole.N != 20 || whole.NsPerOp() < 1e6 {
			t.Errorf("%v mode: without Loop %d times %d ns/op: want 20 times 1 ms or more", mode, whole.N, whole.NsPerOp())
		}
	}
}

// BenchmarkLoop measures a tenure of one rank after the other, in both modes, on both networks.
func BenchmarkLoop(b *testing.B) {
	for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
		b.Run(fmt.Sprintf("inproc/%v", mode), func(b *testing.B) {
			var loops atomic.Int64
			fagustest.Run(b, fagus.Config{Mode: mode}, func(n *fagus.Node) error { return add(n, &loops) })
		})
		b.Run(fmt.Sprintf("dimmnet1/%v", mode), func(b *testing.B) {
			var loops atomic.Int64
			fagustest.Run(b, fagus.Config{Mode: mode, Net: fagustest.Simulated(b)}, func(n *fagus.Node) error { return add(n, &loops) })
		})
	}
}
