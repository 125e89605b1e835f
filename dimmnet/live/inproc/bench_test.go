package inproc_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// turn is a Stepper that waits until the LLCM word at offset 0 is want or stop.
type turn struct {
	port dimmnet.Port
	want uint64
	got  uint64
}

const stop = 1 << 63

func (w *turn) Step() (bool, error) {
	w.got = w.port.Load(0)
	return w.done(), nil
}

func (w *turn) done() bool { return w.got == w.want || w.got == stop }

func (w *turn) await(want uint64) error {
	w.want = want
	return dimmnet.Drive(w.port, w, w.done)
}

// BenchmarkPingPong measures a round trip of an 8-byte flag between two ranks. The other ranks of
// the run are asleep.
func BenchmarkPingPong(b *testing.B) {
	for _, nodes := range []int{2, 3} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			circulate(b, nodes, 2, func(p dimmnet.Port, next dimmnet.Rank, v uint64) {
				p.Store(next, 0, v, 8)
			})
		})
	}
}

// BenchmarkPage measures a round trip in which a page precedes each flag.
func BenchmarkPage(b *testing.B) {
	block := make([]byte, 4096)
	circulate(b, 2, 2, func(p dimmnet.Port, next dimmnet.Rank, v uint64) {
		p.Write(next, 4096, block)
		p.Store(next, 0, v, 8)
	})
}

// BenchmarkRing measures one lap of a flag around more ranks than processors.
func BenchmarkRing(b *testing.B) {
	for _, nodes := range []int{4, 16, 64} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			circulate(b, nodes, nodes, func(p dimmnet.Port, next dimmnet.Rank, v uint64) {
				p.Store(next, 0, v, 8)
			})
		})
	}
}

// BenchmarkCompute measures a round trip in which rank 0 computes for a while.
func BenchmarkCompute(b *testing.B) {
	for _, d := range []time.Duration{5 * time.Microsecond, 100 * time.Microsecond} {
		b.Run(d.String(), func(b *testing.B) {
			circulate(b, 2, 2, func(p dimmnet.Port, next dimmnet.Rank, v uint64) {
				for t := time.Now(); p.Rank() == 0 && time.Since(t) < d; {
				}
				p.Store(next, 0, v, 8)
			})
		})
	}
}

// circulate sends a flag around the ranks below ring, once per iteration of b.Loop.
func circulate(b *testing.B, nodes, ring int, send func(p dimmnet.Port, next dimmnet.Rank, v uint64)) {
	err := inproc.New(inproc.Config{}).Run(b.Context(), nodes, func(h dimmnet.Host) error {
		p := h.Port()
		w := &turn{port: p}
		next := dimmnet.Rank((int(p.Rank()) + 1) % ring)
		switch {
		case p.Rank() == 0:
			for v := uint64(1); b.Loop(); v++ {
				send(p, next, v)
				if err := w.await(v); err != nil {
					return err
				}
			}
			for r := 1; r < nodes; r++ {
				p.Store(dimmnet.Rank(r), 0, stop, 8)
			}
			return nil
		case int(p.Rank()) >= ring:
			return w.await(stop)
		}
		for v := uint64(1); ; v++ {
			if err := w.await(v); err != nil || w.got == stop {
				return err
			}
			send(p, next, v)
		}
	})
	if err != nil {
		b.Fatal(err)
	}
}
