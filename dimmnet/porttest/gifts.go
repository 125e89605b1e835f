package porttest

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// checkGifts: what ranks give comes whole, in order and to its place, behind what was posted
// before; until Giving says no it is not read for the last time. Ports that are no Givers pass.
func checkGifts(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		g, ok := t.Port.(dimmnet.Giver)
		if !ok {
			return nil
		}
		for round := range e.rounds(100) {
			if err := t.gifts(g, round); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	})
}

// giftsOf are what a rank gives in a round.
func (t *thread) giftsOf(rank dimmnet.Rank, round int) [][]byte {
	r := rand.New(rand.NewPCG(t.env.seed, uint64(rank)<<32+uint64(round)))
	all := make([][]byte, 1+r.IntN(6))
	for i := range all {
		all[i] = noise(r.Uint64(), 1+r.IntN(1<<(1+r.IntN(16))))
	}
	if round%16 == 0 {
		all[0] = noise(uint64(round), 1<<20+round)
	}
	return all
}

// gifts is a round in which every rank gives to the next, and takes before that, or late.
func (t *thread) gifts(g dimmnet.Giver, round int) error {
	want := t.giftsOf(t.prev, round)
	got := make([][]byte, len(want))
	take := func() error {
		for i := range want {
			got[i] = make([]byte, len(want[i]))
			g.Take(t.prev, got[i])
		}
		return nil
	}
	early, late := take, nothing
	if round%3 > 0 {
		early, late = nothing, take
	}
	number := uint64(round + 1)
	return inOrder(
		early,
		func() error { return t.storeWord(t.next, flagInfo, number) },
		func() error { return t.give(g, t.giftsOf(t.me, round)) },
		t.settle,
		late,
		func() error { return t.await(flagInfo, number) },
		func() error {
			return dimmnet.Drive(t.Port, idler{}, func() bool { return g.Taking(t.prev) == 0 })
		},
		func() error {
			for i := range want {
				if !bytes.Equal(got[i], want[i]) {
					return fmt.Errorf("porttest: rank %d: gift %d of rank %d, %d bytes, is damaged", t.me, i, t.prev, len(want[i]))
				}
			}
			return nil
		},
		func() error { return t.exchange(nothing, nothing) },
	)
}

// give gives to the next rank, and changes all when it need not rest.
func (t *thread) give(g dimmnet.Giver, all [][]byte) error {
	for _, p := range all {
		if err := t.post(func() bool { return g.Give(t.next, p) }); err != nil {
			return err
		}
	}
	for _, p := range all {
		if !g.Giving(t.next) {
			clear(p)
		}
	}
	return nil
}

// idler never comes further by itself.
type idler struct{}

func (idler) Step() (bool, error) { return false, nil }
