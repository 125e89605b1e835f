package porttest

import (
	"fmt"
	"runtime"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// target is the word that the tests of this file store to.
const target = dataStart

func rankFlag(r dimmnet.Rank) dimmnet.Offset { return flagRank + dimmnet.Offset(r)*word }

// watch looks, never idling, until all other ranks have set their flags to seq,
// and once more after that.
func (t *thread) watch(seq uint64, look func() error) error {
	for {
		waiting := false
		for r := 1; r < t.Nodes(); r++ {
			if t.Load(rankFlag(dimmnet.Rank(r)))&t.flagMask() != seq&t.flagMask() {
				waiting = true
			}
		}
		if err := look(); err != nil {
			return err
		}
		if !waiting {
			return nil
		}
		if err := t.lookOn(); err != nil {
			return err
		}
		runtime.Gosched() // where there is one processor
	}
}

// lookOn is for loops that load without idling; it ends them when the run has
// failed, and those that Run has left behind.
func (t *thread) lookOn() error {
	if t.crew.over.Load() {
		return fmt.Errorf("porttest: rank %d was left behind", t.me)
	}
	return t.Err()
}

// release lets all other ranks go on, and is what they wait for.
func (t *thread) release(seq uint64) error {
	for r := 1; r < t.Nodes(); r++ {
		if err := t.signal(dimmnet.Rank(r), flagData, seq); err != nil {
			return err
		}
	}
	return nil
}

// checkWordsAtOnce: an aligned store of 1, 2, 4 or 8 bytes appears at once.
func checkWordsAtOnce(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		return t.alternate(func(size int) error { return lanes(t.Load(target), 0, word, size, nodes) })
	})
}

// checkNarrowAtOnce: so it does for a Read of less than a word.
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

// patterns are the two that rank alternates. No byte of one occurs at the same
// place in another.
func patterns(rank dimmnet.Rank) [2]uint64 {
	b := uint64(rank)*2 + 1
	return [2]uint64{0x0101010101010101 * b, 0x1010101010101010 * b}
}

// alternate makes every other rank store its patterns in turn to the same places
// of one word, by size bytes, for every size that appears at once; rank 0 looks.
func (t *thread) alternate(look func(size int) error) error {
	seq := uint64(0)
	for size := 1; size <= t.flagBytes; size *= 2 {
		seq++
		if t.me == 0 {
			err := inOrder(
				func() error { return t.watch(seq, func() error { return look(size) }) },
				func() error { return t.storeWord(0, target, 0) },
				t.settle,
				func() error { return t.release(seq) })
			if err != nil {
				return err
			}
			continue
		}
		for i := range t.env.rounds(5000) {
			off := target + dimmnet.Offset(i/2*size%word)
			v := patterns(t.me)[i%2]
			if err := t.post(func() bool { return t.Store(0, off, v, size) }); err != nil {
				return err
			}
		}
		err := inOrder(
			func() error { return t.signal(0, rankFlag(t.me), seq) },
			func() error { return t.await(flagData, seq) })
		if err != nil {
			return err
		}
	}
	return nil
}

// lanes checks what was seen of a word, v from byte lo up to hi: each lane of
// size bytes must be zero or of one pattern, as far as it was seen.
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
			return fmt.Errorf("porttest: stores of %d bytes: bytes %d to %d of the word %#016x were never stored together", size, from, to-1, v)
		}
	}
	return nil
}

// checkBytesOfAWord: ranks that store to different bytes of one word do not
// disturb each other, and each byte shows its stores in order.
func checkBytesOfAWord(e *env, nodes int) error {
	const last = 250
	return e.run(nodes, func(t *thread) error {
		for round := range e.rounds(40) {
			seq := uint64(round + 1)
			if t.me > 0 {
				off := target + dimmnet.Offset(t.me)
				const above = ^uint64(0xff) // must not land
				for v := uint64(1); v <= last; v++ {
					if err := t.post(func() bool { return t.Store(0, off, v|above, 1) }); err != nil {
						return err
					}
				}
				err := inOrder(
					func() error { return t.signal(0, rankFlag(t.me), seq) },
					func() error { return t.await(flagData, seq) })
				if err != nil {
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

// watchBytes sees every byte of the target count up to last, clears it and lets
// the other ranks go on.
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
