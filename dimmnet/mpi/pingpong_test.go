package mpi

import (
	"context"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// pingPong measures messages of n bytes on two ranks.
func pingPong(network dimmnet.Network, opts Options, n, rounds int) (one dimmnet.Time, err error) {
	err = network.Run(context.Background(), 2, func(h dimmnet.Host) error {
		return Run(h, opts, func(c *Comm) error {
			took, err := PingPong(c, n, rounds)
			if c.Rank() == 0 {
				one = took
			}
			return err
		})
	})
	return one, err
}

// TestPingPong: on DIMMnet-1 a rendezvous takes the time of three control packets, an eager message
// that of one, however many rounds there are.
func TestPingPong(t *testing.T) {
	var times []dimmnet.Time
	for _, opts := range []Options{{}, {Eager: -1}} {
		one, err := pingPong(simulated(sim.Config{}), opts, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		again, err := pingPong(simulated(sim.Config{}), opts, 0, 200)
		if err != nil || again < one*99/100 || again > one*101/100 {
			t.Errorf("%v, of twice as many %v: %v", one, again, err)
		}
		t.Logf("Eager %d: %v", opts.Eager, one)
		times = append(times, one)
	}
	if ratio := float64(times[1]) / float64(times[0]); ratio < 2.5 || ratio > 3.5 {
		t.Errorf("rendezvous/eager = %g", ratio)
	}
}

// BenchmarkPingPong is half a round trip by the wall clock.
func BenchmarkPingPong(b *testing.B) {
	for name, network := range map[string]dimmnet.Network{"inproc": inproc.New(inproc.Config{}), "shm": shm.New(shm.Config{})} {
		for _, n := range []int{0, 4096, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				one, err := pingPong(network, Options{}, n, b.N)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(one.Nanoseconds()), "ns/message")
				b.SetBytes(int64(n))
			})
		}
	}
}

// TestManyNodes: the limit that the package comment states for DIMMnet-1.
func TestManyNodes(t *testing.T) {
	limits := simulated(sim.Config{}).Preset().Limits
	if _, err := newLayout(limits, 248, Options{}); err != nil {
		t.Error(err)
	}
	if _, err := newLayout(limits, 249, Options{}); err == nil {
		t.Error("249 ranks fit")
	}
	err := run(simulated(sim.Config{}), 100, Options{}, func(c *Comm) error {
		v := []int{c.Rank()}
		if err := Allreduce(c, v, v, Sum); err != nil || v[0] != 4950 {
			return fmt.Errorf("sum %d: %w", v[0], err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
