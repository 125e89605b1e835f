package polybench

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/region"
)

// live holds the times of a kernel at one size, on this machine.
type live struct {
	alone []time.Duration // of the sequential function
	plain []time.Duration // on two goroutines
	ranks []time.Duration // of a run of two ranks, from the start to the end
	plans []time.Duration // of these, for making plans
	// copies are as ranks, if every rank has copies of its own of all arrays.
	copies []time.Duration
	apart  int // number of runs of ranks that did not run on one rank
}

// measure measures a kernel for as long as more returns true. The versions run in turn, so
// that a load of the machine meets all of them. It does not measure ranks if the kernel is
// refused.
func measure(ctx context.Context, p problem, size int, more func() bool) (l live, err error) {
	before := p.input(size)
	args, ignored, v := clone(before), clone(before), made()[p.name]
	took := func(times *[]time.Duration, f func() error) {
		if err == nil {
			refill(args, before)
			begin := time.Now()
			err = f()
			*times = append(*times, time.Since(begin))
		}
	}
	for more() && err == nil {
		took(&l.alone, func() error { return call(p.seq, nil, false, args) })
		took(&l.plain, func() error { return call(p.plain, nil, false, args) })
		if v.on == nil {
			continue
		}
		took(&l.ranks, func() error {
			done, err := onRanks(ctx, v, args, ignored, fagus.PlaceAuto)
			l.plans, l.apart = append(l.plans, time.Duration(done.Planning.Nanoseconds())), l.apart+done.Calls-done.Alone
			return err
		})
		took(&l.copies, func() error {
			_, err := onRanks(ctx, v, args, ignored, fagus.PlacePrivate)
			return err
		})
	}
	if err != nil {
		err = fmt.Errorf("%s of size %d: %w", p.name, size, err)
	}
	return l, err
}

// refill copies the contents of arguments.
func refill(to, from []any) {
	for i, a := range from {
		switch a := a.(type) {
		case matrix[float64]:
			copy(to[i].(matrix[float64]).data, a.data)
		case matrix[int]:
			copy(to[i].(matrix[int]).data, a.data)
		case []float64:
			copy(to[i].([]float64), a)
		case []int:
			copy(to[i].([]int), a)
		}
	}
}

// onRanks runs a kernel on two ranks of this process, and returns the statistics of rank 0.
func onRanks(ctx context.Context, v version, args, ignored []any, where fagus.Placement) (done region.Statistics, err error) {
	_, err = fagus.Run(ctx, fagus.Config{Nodes: 2, Placement: where}, func(n *fagus.Node) error {
		if n.Rank() > 0 {
			return call(v.on, n, false, ignored)
		}
		err := call(v.on, n, false, args)
		done = region.StatisticsOf(n)
		return err
	})
	return done, err
}

// full returns the size for measurements, with -short a quarter of it.
func (p problem) full() int {
	if testing.Short() {
		return max(1, p.second/4)
	}
	return p.second
}

// times returns a function that returns true n times.
func times(n int) func() bool {
	return func() bool {
		n--
		return n >= 0
	}
}

// median returns the median of times, 0 if there are none.
func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(times))[len(times)/2]
}

// BenchmarkKernels measures every kernel at its size for measurements.
func BenchmarkKernels(b *testing.B) {
	for _, p := range problems() {
		b.Run(p.title, func(b *testing.B) {
			l, err := measure(b.Context(), p, p.full(), b.Loop)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(p.full()), "size")
			b.ReportMetric(0, "ns/op") // the sum of all versions means nothing
			b.ReportMetric(median(l.alone).Seconds()*1e3, "ms-alone")
			b.ReportMetric(ratio(l.alone, l.plain), "x-plain")
			if len(l.ranks) > 0 {
				b.ReportMetric(ratio(l.alone, l.ranks), "x-ranks")
				b.ReportMetric(ratio(l.alone, l.copies), "x-copies")
				b.ReportMetric(median(l.plans).Seconds()*1e3, "ms-plan")
			}
		})
	}
}

func ratio(alone, other []time.Duration) float64 {
	return median(alone).Seconds() / median(other).Seconds()
}

// simulated returns the virtual time of a kernel on simulated nodes.
func simulated(ctx context.Context, p problem, nodes int) (t fagus.Time, err error) {
	net, err := sim.New(sim.Config{})
	if err != nil {
		return 0, err
	}
	before, on := p.input(p.small), made()[p.name].on
	report, err := fagus.Run(ctx, fagus.Config{Nodes: nodes, Net: net}, func(n *fagus.Node) error {
		return call(on, n, false, clone(before))
	})
	for i := range report.Ranks {
		t = max(t, report.Ranks[i].Total())
	}
	if err != nil {
		err = fmt.Errorf("%s of size %d on %d simulated nodes: %w", p.name, p.small, nodes, err)
	}
	return t, err
}
