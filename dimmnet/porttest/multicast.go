package porttest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// star is a round in which one rank calls send, then notify to signal every rank; the ranks take
// turns. When all ranks have checked what they received, the next rank may start.
func (t *thread) star(send func() error, notify func(off dimmnet.Offset, v uint64) error, check func() error) error {
	root := t.root()
	t.sequence++
	seq, sent := t.sequence, rankFlag(root)
	checked := func(r dimmnet.Rank) dimmnet.Offset { return rankFlag(r + 32) }
	if t.me == root {
		err := inOrder(
			// await(flagData, 0) returns at once in the first round
			func() error { return t.await(flagData, seq-1) },
			send,
			func() error { return notify(sent, seq) })
		if err != nil {
			return err
		}
	}
	err := inOrder(
		func() error { return t.await(sent, seq) },
		check,
		func() error { return t.signal(root, checked(t.me), seq) })
	if err != nil || t.me != root {
		return err
	}
	for r := range dimmnet.Rank(t.Nodes()) {
		if err := t.await(checked(r), seq); err != nil {
			return err
		}
	}
	return t.signal(t.next, flagData, seq)
}

func (t *thread) root() dimmnet.Rank { return dimmnet.Rank(t.sequence % uint64(t.Nodes())) }

func (t *thread) signalEach(off dimmnet.Offset, v uint64) error {
	for r := range dimmnet.Rank(t.Nodes()) {
		if err := t.signal(r, off, v); err != nil {
			return err
		}
	}
	return nil
}

// signalAll signals every rank by as few Multicasts as possible.
func (t *thread) signalAll(off dimmnet.Offset, v uint64) error {
	for all := ranks(t.Nodes()); len(all) > 0; {
		n := min(len(all), t.limits.Multicast)
		err := t.post(func() bool { return t.Multicast(all[:n], off, v&t.flagMask(), t.flagBytes) })
		if err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

func (t *thread) someRanks(r *rand.Rand, limit int) []dimmnet.Rank {
	list := ranks(t.Nodes())
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:1+r.IntN(min(limit, len(list)))]
}

// checkMulticast: a Multicast changes its bytes at every rank in its list, and nothing else.
func checkMulticast(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.Multicast == 0 {
			return nil
		}
		r := rand.New(rand.NewPCG(e.seed, 0)) // all ranks draw the same numbers
		last := dimmnet.Offset(t.limits.LLCM - word)
		for _, base := range []dimmnet.Offset{0, dataStart + word, last} {
			near := memory{0, t.limits.LLCM}.around(int(base), word)
			model := make([]byte, near.size())
			for size := 1; size <= t.limits.Store; size++ {
				for in := 0; in+size <= word; in++ {
					off, v, dsts := base+dimmnet.Offset(in), r.Uint64(), t.someRanks(r, t.limits.Multicast)
					if slices.Contains(dsts, t.me) {
						copy(model[int(off)-near.lo:], littleEndian(v, size))
					}
					what := fmt.Sprintf("a Multicast from %d to %v of %d bytes at offset %d", t.root(), dsts, size, off)
					err := t.star(
						func() error { return t.post(func() bool { return t.Multicast(dsts, off, v, size) }) },
						t.signalEach,
						func() error { return t.expect(what, dimmnet.Offset(near.lo), model) })
					if err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// checkMulticastOrder: a sender's posts, to one rank or several, land in order at each receiver.
func checkMulticastOrder(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.Multicast == 0 {
			return nil
		}
		o := newOrderTest(e, t.limits)
		model := make([]byte, o.length)
		r := rand.New(rand.NewPCG(e.seed, 1)) // all ranks draw the same numbers
		for round := range e.rounds(300) {
			list := o.posts(t.root(), round)
			dsts := make([][]dimmnet.Rank, len(list))
			for i, p := range list {
				limit := 1
				if p.kind == kindMulticast {
					limit = t.limits.Multicast
				}
				if dsts[i] = t.someRanks(r, limit); slices.Contains(dsts[i], t.me) {
					copy(model[p.off:], p.content())
				}
			}
			what := fmt.Sprintf("round %d, posts %+v from %d to %v", round, list, t.root(), dsts)
			err := t.star(
				func() error {
					for i, p := range list {
						if err := t.send(p, dsts[i]...); err != nil {
							return err
						}
					}
					return nil
				},
				t.signalEach,
				func() error { return t.expect(what, dataStart, model) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// checkMulticastRing: a Multicast is an arrival at each listed rank: it wakes idle threads.
func checkMulticastRing(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.Multicast == 0 {
			return nil
		}
		for range e.rounds(1000) {
			if err := t.star(nothing, t.signalAll, nothing); err != nil {
				return err
			}
		}
		return nil
	})
}
