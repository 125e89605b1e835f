package porttest

import (
	"fmt"
	"runtime"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// target is the word that the tests of this file store to.
const target = dataStart

func rankFlag(r dimmnet.Rank) dimmnet.Offset { return flagRank + dimmnet.Offset(r)*word }

// watch calls check, without idling, until all other ranks' flags are seq, and then once more.
func (t *thread) watch(seq uint64, check func() error) error {
	for {
		waiting := false
		for r := 1; r < t.Nodes(); r++ {
			if t.Load(rankFlag(dimmnet.Rank(r)))&t.flagMask() != seq&t.flagMask() {
				waiting = true
			}
		}
		if err := check(); err != nil {
			return err
		}
		if !waiting {
			return nil
		}
		if err := t.runErr(); err != nil {
			return err
		}
		runtime.Gosched() // on one processor, the other ranks run only now
	}
}

// runErr ends loops that load without idling: the run has failed or Run has returned.
func (t *thread) runErr() error {
	if t.crew.over.Load() {
		return fmt.Errorf("porttest: rank %d still runs after Run has returned", t.me)
	}
	return t.Err()
}

func (t *thread) release(seq uint64) error {
	for r := 1; r < t.Nodes(); r++ {
		if err := t.signal(dimmnet.Rank(r), flagData, seq); err != nil {
			return err
		}
	}
	return nil
}

// finish tells rank 0 that this rank has stored all of a round, and waits for release.
func (t *thread) finish(seq uint64) error {
	if err := t.signal(0, rankFlag(t.me), seq); err != nil {
		return err
	}
	return t.await(flagData, seq)
}

// checkWordsAtOnce: an aligned store of 1, 2, 4 or 8 bytes appears as a whole.
func checkWordsAtOnce(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		return t.alternate(func(size int) error { return lanes(t.Load(target), 0, word, size, nodes) })
	})
}

// checkPullAtOnce: a sample contains whole words of stores. All ranks but 0 store to rank 1.
func checkPullAtOnce(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.RDMA < dimmnet.SampleBytes || t.flagBytes < word {
			return nil
		}
		if t.me > 0 {
			return inOrder(
				func() error { return t.storePatterns(1, word) },
				func() error { return t.finish(1) })
		}
		return inOrder(
			func() error { return t.watch(1, func() error { return t.sample(nodes) }) },
			func() error { return t.release(1) })
	})
}

// sample checks the target of rank 1 in a Pull of the most bytes that may change.
func (t *thread) sample(nodes int) error {
	const before, landing = 3 * word, target + 16*word
	return inOrder(
		func() error { return t.stage(flagDone, make([]byte, word)) },
		func() error {
			return t.post(func() bool { return t.Pull(1, target-before, landing-before, dimmnet.SampleBytes, flagDone) })
		},
		func() error { return t.awaitWord(flagDone, dimmnet.SampleBytes) },
		func() error { return lanes(t.Load(landing), 0, word, word, nodes) })
}

// checkNarrowAtOnce: a Read of less than a word samples every store as a whole.
func checkNarrowAtOnce(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		next := 0
		return t.alternate(func(size int) error {
			next++
			in := next / word % word
			p := make([]byte, min(1+next%(word-1), word-in))
			t.Read(p, target+dimmnet.Offset(in))
			return lanes(number(p)<<(8*in), in, in+len(p), size, nodes)
		})
	})
}

// patterns returns the two values that rank stores. At each position, all patterns' bytes differ.
func patterns(rank dimmnet.Rank) [2]uint64 {
	b := uint64(rank)*2 + 1
	return [2]uint64{0x0101010101010101 * b, 0x1010101010101010 * b}
}

// alternate makes every rank but 0 store its patterns in turn to rank 0, for every size that must
// appear as a whole. Rank 0 runs check meanwhile.
func (t *thread) alternate(check func(size int) error) error {
	seq := uint64(0)
	for size := 1; size <= t.flagBytes; size *= 2 {
		seq++
		if t.me == 0 {
			err := inOrder(
				func() error { return t.watch(seq, func() error { return check(size) }) },
				func() error { return t.storeWord(0, target, 0) },
				t.settle,
				func() error { return t.release(seq) })
			if err != nil {
				return err
			}
			continue
		}
		if err := t.storePatterns(0, size); err != nil {
			return err
		}
		if err := t.finish(seq); err != nil {
			return err
		}
	}
	return nil
}

// storePatterns stores this rank's patterns in turn to the target at dst, size bytes at a time.
func (t *thread) storePatterns(dst dimmnet.Rank, size int) error {
	for i := range t.env.rounds(5000) {
		off := target + dimmnet.Offset(i/2*size%word)
		v := patterns(t.me)[i%2]
		if err := t.post(func() bool { return t.Store(dst, off, v, size) }); err != nil {
			return err
		}
	}
	return nil
}

// lanes checks bytes lo up to hi of v, the target's value: each lane is 0 or from one pattern.
func lanes(v uint64, lo, hi, size, nodes int) error {
	for i := 0; i < word; i += size {
		from, to := max(i, lo), min(i+size, hi)
		if from >= to {
			continue
		}
		mask := ^uint64(0) >> (64 - 8*(to-from)) << (8 * from)
		known := v&mask == 0
		for r := 1; r < nodes; r++ {
			p := patterns(dimmnet.Rank(r))
			known = known || v&mask == p[0]&mask || v&mask == p[1]&mask
		}
		if !known {
			return fmt.Errorf("porttest: stores of %d bytes: bytes %d to %d of the word %#016x are not from one store", size, from, to-1, v)
		}
	}
	return nil
}

// checkBytesOfAWord: stores to different bytes of a word do not interfere, and appear in order.
func checkBytesOfAWord(e *env, nodes int) error {
	const last = 250
	return e.run(nodes, func(t *thread) error {
		for round := range e.rounds(40) {
			seq := uint64(round + 1)
			if t.me > 0 {
				off := target + dimmnet.Offset(t.me)
				const above = ^uint64(0xff) // bytes of the value that must not land
				for v := uint64(1); v <= last; v++ {
					if err := t.post(func() bool { return t.Store(0, off, v|above, 1) }); err != nil {
						return err
					}
				}
				if err := t.finish(seq); err != nil {
					return err
				}
				continue
			}
			if err := t.watchBytes(seq, last); err != nil {
				return err
			}
		}
		return nil
	})
}

// watchBytes checks that each byte of the target counts up to last. It then clears the target.
func (t *thread) watchBytes(seq, last uint64) error {
	var seen, all uint64
	for r := 1; r < t.Nodes(); r++ {
		all |= last << (8 * r)
	}
	err := t.watch(seq, func() error {
		v := t.Load(target)
		for i := range word {
			if byte(v>>(8*i)) < byte(seen>>(8*i)) {
				return fmt.Errorf("porttest: byte %d of the word went from %#016x back to %#016x", i, seen, v)
			}
		}
		seen = v
		return nil
	})
	if err != nil {
		return err
	}
	if seen != all {
		return fmt.Errorf("porttest: bytes stored by %d ranks: the word is %#016x in the end, want %#016x", t.Nodes()-1, seen, all)
	}
	return inOrder(
		func() error { return t.storeWord(0, target, 0) },
		t.settle,
		func() error { return t.release(seq) })
}
