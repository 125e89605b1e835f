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

// message is one of a random program.
type message struct {
	from, to, tag int
	bytes         []byte
}

// TestRandom: random messages between all ranks, eager and longer, through rings that are often full, arrive whole, and in order per sender and tag.
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

// exchange sends and receives what concerns a rank.
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
				return fmt.Errorf("message %d of %d bytes from rank %d is another", i, len(m.bytes), m.from)
			}
		}
		return nil
	})
}
