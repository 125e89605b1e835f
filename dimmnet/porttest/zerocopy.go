package porttest

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// checkZeroCopy: data that ranks send without copying arrives whole, in order, in the right buffer
// and after everything posted before. When Sending is false, the network no longer reads the
// memory. Ports that do not implement dimmnet.ZeroCopy pass.
func checkZeroCopy(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		g, ok := t.Port.(dimmnet.ZeroCopy)
		if !ok {
			return nil
		}
		for round := range e.rounds(100) {
			if err := t.zeroCopyRound(g, round); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	})
}

func (t *thread) buffersOf(rank dimmnet.Rank, round int) [][]byte {
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

// zeroCopyRound makes every rank send to the next. Receives are posted before that, or late.
func (t *thread) zeroCopyRound(g dimmnet.ZeroCopy, round int) error {
	want := t.buffersOf(t.prev, round)
	got := make([][]byte, len(want))
	receive := func() error {
		for i := range want {
			got[i] = make([]byte, len(want[i]))
			g.Receive(t.prev, got[i])
		}
		return nil
	}
	early, late := receive, nothing
	if round%3 > 0 {
		early, late = nothing, receive
	}
	number := uint64(round + 1)
	return inOrder(
		early,
		func() error { return t.storeWord(t.next, flagInfo, number) },
		func() error { return t.sendAll(g, t.buffersOf(t.me, round)) },
		t.settle,
		late,
		func() error { return t.await(flagInfo, number) },
		func() error {
			return dimmnet.Until(t.Port, func() bool { return g.Receiving(t.prev) == 0 })
		},
		func() error {
			for i := range want {
				if !bytes.Equal(got[i], want[i]) {
					return fmt.Errorf("porttest: rank %d: buffer %d from rank %d, %d bytes, is damaged", t.me, i, t.prev, len(want[i]))
				}
			}
			return nil
		},
		func() error { return t.exchange(nothing, nothing) },
	)
}

// sendAll sends all to the next rank, and overwrites buffers that are no longer read.
func (t *thread) sendAll(g dimmnet.ZeroCopy, all [][]byte) error {
	for _, p := range all {
		if err := t.post(func() bool { return g.Send(t.next, p) }); err != nil {
			return err
		}
	}
	for _, p := range all {
		if !g.Sending(t.next) {
			clear(p)
		}
	}
	return nil
}
