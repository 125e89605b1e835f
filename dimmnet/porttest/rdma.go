package porttest

import (
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// rdmaTests returns moves between LLCM and bulk memory, up to the limit; every rank gets the same.
func (t *thread) rdmaTests(pull bool) []move {
	if t.limits.RDMA == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(t.env.seed, 0))
	var list []move
	for _, source := range t.memories() {
		for _, target := range t.memories() {
			source, _ := source.halves()
			_, target := target.halves()
			limit := min(t.limits.RDMA, source.size()-word, target.size()-word, most)
			for _, n := range sizes(limit) {
				tries := 3
				if n > 2*page {
					tries = 1 // for large sizes one offset is enough
				}
				for i := range tries {
					skip, rest := r.IntN(word), r.IntN(word)
					if i == 1 {
						skip, rest = 0, 0
					}
					from, to := source.lo+skip, target.hi-n-rest
					list = append(list, move{pull, dimmnet.Offset(from), dimmnet.Offset(to), n,
						flagDone + dimmnet.Offset(len(list)%16*word), target.around(to, n)})
				}
			}
		}
	}
	return list
}

// checkPush: a Push moves its bytes, changes no others, and then stores its size at done.
func checkPush(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error { return t.tryMoves(t.rdmaTests(false)) })
}

// checkPull: a Pull moves its bytes, changes no others, and then stores its size at done.
func checkPull(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error { return t.tryMoves(t.rdmaTests(true)) })
}

// checkSelfRDMA: a rank can push to itself and pull from itself in a run of several ranks.
func checkSelfRDMA(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		t.next, t.prev = t.me, t.me
		return inOrder(
			func() error { return t.tryMoves(t.rdmaTests(false)) },
			func() error { return t.tryMoves(t.rdmaTests(true)) })
	})
}

func (t *thread) tryMoves(list []move) error {
	for i, m := range list {
		if err := t.tryMove(uint64(i), m); err != nil {
			return err
		}
	}
	return nil
}

// tryMove is a round of the ring: prepare both ends, move, check what was received.
func (t *thread) tryMove(key uint64, m move) error {
	data := func(r dimmnet.Rank) []byte { return noise(key<<8+uint64(r), m.n) }
	lo, want := dimmnet.Offset(m.near.lo), noise(^key, m.near.size())
	err := inOrder(
		func() error { return t.put(m.from, data(t.me)) },
		func() error { return t.put(lo, want) },
		t.turn)
	if err != nil {
		return err
	}
	copy(want[m.to-lo:], data(t.prev))
	check := func() error { return t.expect(m.String(), lo, want) }
	// In the LLCM the bytes are visible at once: to the rank that pulled when its Pull is done,
	// and to the rank that was pushed to when a flag sent after the Push has landed.
	pulled, pushed := nothing, nothing
	if int(m.to) < t.limits.LLCM {
		if pushed = check; m.pull {
			pulled, pushed = check, nothing
		}
	}
	return inOrder(
		func() error {
			return t.exchange(func() error {
				wait, err := t.startMoves(m)
				if err != nil {
					return err
				}
				return inOrder(wait, pulled)
			}, pushed)
		},
		func() error { t.Flip(); return check() },
		func() error { return t.expect("the source of "+m.String(), m.from, data(t.me)) })
}

// checkTogether: moves under way at once do not disturb each other; each sets its done word.
func checkTogether(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.RDMA == 0 {
			return nil
		}
		r := rand.New(rand.NewPCG(e.seed, 0))
		for round := range e.rounds(50) {
			if err := t.together(r, uint64(round)); err != nil {
				return err
			}
		}
		return nil
	})
}

// together is a round of checkTogether. Each move has two slots of its own in each memory.
func (t *thread) together(r *rand.Rand, round uint64) error {
	const count = 16
	data := func(i int, rank dimmnet.Rank, n int) []byte {
		return noise(round<<16+uint64(i)<<8+uint64(rank), n)
	}
	slot := func(i int) memory {
		all := t.memories()
		m := all[r.IntN(len(all))]
		size := m.size() / (2 * count) / word * word
		m.lo += i * size
		return memory{m.lo, m.lo + min(size, page)}
	}
	list := make([]move, count)
	for i := range list {
		source, target := slot(i), slot(count+i)
		n := 1 + r.IntN(min(t.limits.RDMA, source.size(), target.size()))
		from, to := source.lo+r.IntN(source.size()-n+1), target.lo+r.IntN(target.size()-n+1)
		list[i] = move{r.IntN(2) == 0, dimmnet.Offset(from), dimmnet.Offset(to), n, flagDone + dimmnet.Offset(i*word), target}
		err := inOrder(
			func() error { return t.put(list[i].from, data(i, t.me, n)) },
			func() error { return t.put(dimmnet.Offset(target.lo), noise(^uint64(i), target.size())) })
		if err != nil {
			return err
		}
	}
	if err := t.turn(); err != nil {
		return err
	}
	wait, err := t.startMoves(list...)
	if err != nil {
		return err
	}
	if err := inOrder(wait, t.meet); err != nil {
		return err
	}
	t.Flip()
	for i, m := range list {
		want := noise(^uint64(i), m.near.size())
		copy(want[int(m.to)-m.near.lo:], data(i, t.prev, m.n))
		what := fmt.Sprintf("%v, number %d of %d at once", m, i, count)
		if err := t.expect(what, dimmnet.Offset(m.near.lo), want); err != nil {
			return err
		}
	}
	return nil
}

// checkLargest: rank 0 makes a Push and a Pull of the limit. Either end may fill all bulk memory.
func checkLargest(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		n := min(t.limits.RDMA, t.limits.Bulk, 16*most)
		if n == 0 {
			return nil
		}
		for _, pull := range []bool{false, true} {
			at := dimmnet.Offset(t.limits.LLCM)
			mover := dimmnet.Rank(0) // the rank that posts the move of bytes from rank 0 to rank 1
			if pull {
				mover = 1
			}
			want := noise(uint64(mover), n)
			moves := nothing
			if t.me == mover {
				moves = func() error {
					wait, err := t.startMoves(move{pull: pull, from: at, to: at, n: n, done: flagDone})
					if err != nil {
						return err
					}
					return wait()
				}
			}
			if t.me == 0 {
				t.Fill(at, want)
			}
			err := inOrder(t.turn, moves, t.meet, func() error {
				t.Flip()
				return t.expect("a move at the limit", at, want)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
