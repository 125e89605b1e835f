package porttest

import (
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// flipTest has two places in the bulk memory. In every epoch, which a Flip ends,
// the host has one of them and the network the other; then they change. So it
// is fair to ports with one memory and to ports with two banks.
type flipTest struct {
	*thread
	stride, limit int
}

// The parts of a place.
const (
	partOut    = iota // the owner fills it
	partPushed        // the previous rank pushes its own partOut here
	partPulled        // the owner pulls the partOut of the previous rank here
	parts
)

// checkFlip: what is filled before a Flip is what a peer pulls and a Push takes
// after it; what was pushed or pulled before a Flip is what a Read finds after
// it. Two Flips change nothing.
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

func (f *flipTest) at(place, part int) dimmnet.Offset {
	return dimmnet.Offset(f.limits.LLCM + (place*parts+part)*f.stride)
}

// data is what rank fills in an epoch. The sizes are those of all ranks.
func (f *flipTest) data(rank dimmnet.Rank, epoch int) []byte {
	r := rand.New(rand.NewPCG(f.env.seed, uint64(epoch)))
	return noise(uint64(epoch)<<8+uint64(rank), 1+r.IntN(f.limit))
}

func (f *flipTest) epoch(epoch int) error {
	moves, host := nothing, epoch%2
	if epoch >= 1 {
		n, place := len(f.data(f.me, epoch-1)), 1-host
		var err error
		if moves, err = f.startMoves(
			move{from: f.at(place, partOut), to: f.at(place, partPushed), n: n, done: flagDone},
			move{pull: true, from: f.at(place, partOut), to: f.at(place, partPulled), n: n, done: flagDone + word},
		); err != nil {
			return err
		}
	}
	// Now the network is at work, in the other place.
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

// meet returns when the neighbours are here, too: what they have moved into this
// node and out of it is done.
func (t *thread) meet() error { return t.exchange(nothing, nothing) }

// turn flips, and returns when the neighbours have. Nobody may be moving.
func (t *thread) turn() error {
	t.Flip()
	return t.meet()
}
