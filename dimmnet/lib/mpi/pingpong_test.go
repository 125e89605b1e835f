package mpi

import (
	"context"
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/dimmnet/live/shm"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// pingPong returns the one-way time of messages of n bytes between two ranks.
func pingPong(network dimmnet.Network, opts Options, n, rounds int) (one dimmnet.Time, err error) {
	err = network.Run(context.Background(), 2, func(h dimmnet.Host) error {
		return Run(h, opts, func(c *Comm) error {
			took, err := pingPongOn(c, n, rounds)
			if c.Rank() == 0 {
				one = took
			}
			return err
		})
	})
	return one, err
}

// pingPongOn sends a message of n bytes back and forth between ranks 0 and 1, and returns on
// both half the mean round trip. The first round is not counted. Other ranks return 0.
func pingPongOn(c *Comm, n, rounds int) (dimmnet.Time, error) {
	if err := c.Barrier(); err != nil || c.rank > 1 {
		return 0, err
	}
	p := make([]byte, n)
	var began dimmnet.Time
	for i := range rounds + 1 {
		if i == 1 {
			began = c.host.Now()
		}
		for _, from := range []int{0, 1} {
			var err error
			if c.rank == from {
				err = c.Send(p, 1-from, 0)
			} else {
				_, err = c.Recv(p, from, 0)
			}
			if err != nil {
				return 0, err
			}
		}
	}
	return (c.host.Now() - began) / dimmnet.Time(2*rounds), nil
}

// TestPingPong checks times on DIMMnet-1, for any number of rounds: a rendezvous takes as long as
// three control packets, and an eager message as long as one.
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

// BenchmarkPingPong measures half a round trip by the wall clock.
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

// TestManyNodes checks the limit that the package comment states for DIMMnet-1.
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
