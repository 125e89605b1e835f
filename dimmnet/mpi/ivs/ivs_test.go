package ivs_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/dimmnet2"
	"github.com/fagus-dsm/fagus/dimmnet/mpi"
	"github.com/fagus-dsm/fagus/dimmnet/mpi/ivs"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// run runs a program of MPI on DIMMnet-2.
func run(t testing.TB, nodes int, cfg ivs.Config, opts mpi.Options, body func(*mpi.Comm, dimmnet.Host) error) *dimmnet2.Network {
	t.Helper()
	w, err := dimmnet2.New(sim.Config{}, dimmnet2.Default())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(t.Context(), nodes, func(h dimmnet.Host) error {
		link, err := ivs.New(h, cfg)
		if err != nil {
			return err
		}
		opts := opts
		opts.Link = link
		return mpi.Run(h, opts, func(c *mpi.Comm) error { return body(c, h) })
	}); err != nil {
		t.Fatal(err)
	}
	return w
}

func pingPong(t *testing.T, cfg ivs.Config, opts mpi.Options, n int) float64 {
	t.Helper()
	var took dimmnet.Time
	const rounds = 2000
	run(t, 2, cfg, opts, func(c *mpi.Comm, h dimmnet.Host) error {
		random := rand.New(rand.NewPCG(1, uint64(c.Rank())))
		if err := c.Barrier(); err != nil {
			return err
		}
		begin := h.Now()
		p := make([]byte, n)
		for i := range 2 * rounds {
			if i%2 == c.Rank() {
				if err := c.Send(p, 1-c.Rank(), 0); err != nil {
					return err
				}
				// A real poll meets a packet at any phase: while it is under way, a part of a poll passes.
				h.Spend(dimmnet.Time(random.Int64N(int64(dimmnet2.Default().Read))))
			} else if _, err := c.Recv(p, 1-c.Rank(), 0); err != nil {
				return err
			}
		}
		took = max(took, h.Now()-begin)
		return nil
	})
	return float64(took) / float64(2*rounds*dimmnet.Microsecond)
}

// TestFigures: the paper's latencies at library level, and of MPI, within 3 %.
func TestFigures(t *testing.T) {
	protocol := ivs.Config{Protocol: 1250 * dimmnet.Nanosecond}
	for _, c := range []struct {
		what       string
		got, paper float64
	}{
		{"eager at library level", pingPong(t, ivs.Config{}, mpi.Options{}, 0), 3.87},
		{"MPI eager", pingPong(t, protocol, mpi.Options{}, 0), 5.12},
	} {
		t.Logf("%s: %.3f us, the paper %.2f", c.what, c.got, c.paper)
		if c.got < 0.97*c.paper || c.got > 1.03*c.paper {
			t.Errorf("%s takes %.3f us, the paper's %.2f", c.what, c.got, c.paper)
		}
	}
	t.Logf("MPI rendezvous, predicted: %.3f us", pingPong(t, protocol, mpi.Options{Eager: -1}, 0))
}

// TestSizes: messages of all sizes arrive whole and in order, eagerly and by rendezvous, also to oneself.
func TestSizes(t *testing.T) {
	for _, nodes := range []int{1, 2, 4} {
		run(t, nodes, ivs.Config{}, mpi.Options{}, func(c *mpi.Comm, _ dimmnet.Host) error {
			to, from := (c.Rank()+1)%nodes, (c.Rank()+nodes-1)%nodes
			for round, n := range []int{0, 1, 8, 31, 95, 96, 97, 432, 433, 4095, 4096, 4097, 16000, 100_000} {
				out, in := bytes.Repeat([]byte{byte(10*c.Rank() + round)}, n), make([]byte, n)
				r, err := c.Isend(out, to, round)
				if err != nil {
					return err
				}
				if _, err := c.Recv(in, from, round); err != nil {
					return err
				}
				if _, err := r.Wait(); err != nil {
					return err
				}
				if !bytes.Equal(in, bytes.Repeat([]byte{byte(10*from + round)}, n)) {
					return fmt.Errorf("%d bytes from rank %d are others", n, from)
				}
			}
			return nil
		})
	}
}
