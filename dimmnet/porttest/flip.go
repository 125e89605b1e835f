package porttest

import (
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// flipTest has the host use one half of the bulk memory and the network the other, exchanged at
// every Flip. This works on ports with one memory and on ports with two banks.
type flipTest struct {
	*thread
	stride, limit int
}

const (
	partOut    = iota // this node fills it
	partPushed        // the previous rank pushes its partOut here
	partPulled        // this node pulls the partOut of the previous rank here
	parts
)

// checkFlip: a Push or a peer's Pull after a Flip reads the bytes filled before; a Read after a
// Flip finds the bytes pushed or pulled before. Two Flips change nothing.
func checkFlip(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.Bulk == 0 || t.limits.RDMA == 0 {
			return nil
		}
		stride := t.limits.Bulk / (2 * parts) / word * word
		f := &flipTest{t, stride, min(stride, t.limits.RDMA, page+99)}
		for epoch := range max(8, e.rounds(300)) {
			if err := f.epoch(epoch); err != nil {
				return fmt.Errorf("porttest: epoch %d: %w", epoch, err)
			}
		}
		return nil
	})
}

func (f *flipTest) at(half, part int) dimmnet.Offset {
	return dimmnet.Offset(f.limits.LLCM + (half*parts+part)*f.stride)
}

// data returns the bytes that rank fills in an epoch. The sizes are the same for all ranks.
func (f *flipTest) data(rank dimmnet.Rank, epoch int) []byte {
	r := rand.New(rand.NewPCG(f.env.seed, uint64(epoch)))
	return noise(uint64(epoch)<<8+uint64(rank), 1+r.IntN(f.limit))
}

func (f *flipTest) epoch(epoch int) error {
	moves, host := nothing, epoch%2
	if epoch >= 1 {
		n, half := len(f.data(f.me, epoch-1)), 1-host
		var err error
		if moves, err = f.startMoves(
			move{from: f.at(half, partOut), to: f.at(half, partPushed), n: n, done: flagDone},
			move{pull: true, from: f.at(half, partOut), to: f.at(half, partPulled), n: n, done: flagDone + word},
		); err != nil {
			return err
		}
	}
	// Now the network moves data in the other half.
	if epoch >= 2 {
		err := inOrder(
			func() error { return f.expect("what was filled", f.at(host, partOut), f.data(f.me, epoch-2)) },
			func() error { return f.expect("what was pushed", f.at(host, partPushed), f.data(f.prev, epoch-2)) },
			func() error { return f.expect("what was pulled", f.at(host, partPulled), f.data(f.prev, epoch-2)) })
		if err != nil {
			return err
		}
	}
	f.Fill(f.at(host, partOut), f.data(f.me, epoch))
	return inOrder(moves, f.meet, f.turn)
}

// meet returns when both neighbours have finished all moves to and from this node.
func (t *thread) meet() error { return t.exchange(nothing, nothing) }

// turn flips, and returns when the neighbours have flipped. No move may be under way.
func (t *thread) turn() error {
	t.Flip()
	return t.meet()
}
