package ivs_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/lib/mpi"
	"github.com/fagus-dsm/fagus/dimmnet/lib/mpi/ivs"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/dimmnet2"
)

// run runs an MPI program on DIMMnet-2.
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
				// A real poll meets a packet at any phase, so the ranks spend a random part of a
				// poll.
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

// TestFigures checks the paper's latencies of the library and of MPI, within 3 %.
func TestFigures(t *testing.T) {
	protocol := ivs.Config{Protocol: 1250 * dimmnet.Nanosecond}
	for _, c := range []struct {
		what       string
		got, paper float64
	}{
		{"eager at library level", pingPong(t, ivs.Config{}, mpi.Options{}, 0), 3.87},
		{"MPI eager", pingPong(t, protocol, mpi.Options{}, 0), 5.12},
		{"MPI rendezvous", pingPong(t, protocol, mpi.Options{Eager: -1}, 0), 13.11},
	} {
		t.Logf("%s: %.3f us, the paper %.2f", c.what, c.got, c.paper)
		if c.got < 0.97*c.paper || c.got > 1.03*c.paper {
			t.Errorf("%s takes %.3f us, in the paper %.2f us", c.what, c.got, c.paper)
		}
	}
}

// TestSizes checks that messages of all sizes arrive complete and in order, eagerly and by
// rendezvous, also at their own sender.
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

// message is a message of a random program.
type message struct {
	from, to, tag int
	bytes         []byte
}

// TestRandom exchanges random messages between all ranks, eagerly and by rendezvous, through
// rings that are often full. All must arrive complete, and in order for each sender and tag.
func TestRandom(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 5))
		nodes := 1 + r.IntN(4)
		var all []message
		for range r.IntN(60) {
			b := make([]byte, []int{0, r.IntN(100), r.IntN(2000), r.IntN(9000)}[r.IntN(4)])
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			all = append(all, message{r.IntN(nodes), r.IntN(nodes), r.IntN(3), b})
		}
		params := dimmnet2.Default()
		params.RingBytes = []int{1024, 4096, 64 << 10}[r.IntN(3)]
		w, err := dimmnet2.New(sim.Config{Seed: seed % 3}, params)
		if err != nil {
			t.Fatal(err)
		}
		eager := []int{0, -1, 100}[r.IntN(3)]
		if err := w.Run(t.Context(), nodes, func(h dimmnet.Host) error { return exchange(h, all, eager) }); err != nil {
			t.Fatalf("seed %d, %d nodes, rings of %d bytes, eager %d: %v", seed, nodes, params.RingBytes, eager, err)
		}
	}
}

// exchange does a rank's sends and receives.
func exchange(h dimmnet.Host, all []message, eager int) error {
	link, err := ivs.New(h, ivs.Config{AreaBytes: 1 << 20, Area: dimmnet.Offset(dimmnet2.Default().LLCM)})
	if err != nil {
		return err
	}
	return mpi.Run(h, mpi.Options{Link: link, Eager: eager}, func(c *mpi.Comm) error {
		var requests []*mpi.Request
		got := make([][]byte, len(all))
		for i, m := range all {
			if m.to == c.Rank() {
				got[i] = make([]byte, len(m.bytes))
				q, err := c.Irecv(got[i], m.from, m.tag)
				if err != nil {
					return err
				}
				requests = append(requests, q)
			}
			if m.from == c.Rank() {
				q, err := c.Isend(m.bytes, m.to, m.tag)
				if err != nil {
					return err
				}
				requests = append(requests, q)
			}
		}
		if _, err := mpi.Waitall(requests...); err != nil {
			return err
		}
		for i, m := range all {
			if m.to == c.Rank() && !bytes.Equal(got[i], m.bytes) {
				return fmt.Errorf("message %d of %d bytes from rank %d has wrong contents", i, len(m.bytes), m.from)
			}
		}
		return nil
	})
}

// TestHostilePlaces checks that a destination outside SO-DIMM is an error of the link, and that
// nothing is written.
func TestHostilePlaces(t *testing.T) {
	for _, to := range []mpi.Destination{{Address: 0xfffffff0, Size: 100_000}, {Address: 1<<32 + 128<<10, Size: 8}, {Address: 0, Size: 8}, {Address: 1 << 20, Size: 0}} {
		w, err := dimmnet2.New(sim.Config{}, dimmnet2.Default())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Run(t.Context(), 2, func(h dimmnet.Host) error {
			link, err := ivs.New(h, ivs.Config{})
			if err != nil {
				return err
			}
			link.Write(1-h.Port().Rank(), []mpi.Destination{to}, make([]byte, to.Size))
			if _, err := link.Step(); err == nil || !strings.Contains(err.Error(), "not in SO-DIMM") {
				t.Errorf("%+v: %v", to, err)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if c := w.Counts(); c.Commands > 0 {
			t.Errorf("%+v: %d commands", to, c.Commands)
		}
	}
}
