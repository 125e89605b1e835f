package porttest

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// touch is a round of a ring. Each rank writes a background to [lo, hi) of the next rank, and
// put then writes want to off there. The receiver checks all of [lo, hi).
func (t *thread) touch(what string, lo, hi, off dimmnet.Offset, want []byte, put func(dst dimmnet.Rank) error) error {
	background := noise(uint64(lo)+uint64(len(want))<<20+t.sequence<<8, int(hi-lo))
	return t.exchange(
		func() error {
			if err := t.write(t.next, lo, background); err != nil {
				return err
			}
			return put(t.next)
		},
		func() error {
			copy(background[off-lo:], want)
			what := fmt.Sprintf("%s of %d bytes at offset %d", what, len(want), off)
			return t.expect(what, lo, background)
		})
}

// touchStore is touch for a Store, with the words before and after it as far as the LLCM goes.
func (t *thread) touchStore(off dimmnet.Offset, size int) error {
	base := off / word * word
	lo, hi := base-min(base, word), min(base+2*word, dimmnet.Offset(t.limits.LLCM))
	v := mix(uint64(off)<<8 + uint64(size)) // the high bytes of v must not land
	return t.touch("a Store", lo, hi, off, littleEndian(v, size), func(dst dimmnet.Rank) error {
		return t.post(func() bool { return t.Store(dst, off, v, size) })
	})
}

// checkStores: a Store changes only its own bytes, at any size and offset in a word.
func checkStores(e *env, nodes int) error { return e.run(nodes, (*thread).touchStores) }

func (t *thread) touchStores() error {
	last := dimmnet.Offset(t.limits.LLCM - word)
	for size := 1; size <= t.limits.Store; size++ {
		for in := dimmnet.Offset(0); int(in)+size <= word; in++ {
			for _, base := range []dimmnet.Offset{0, dataStart + word, dataStart + 64, last} {
				if err := t.touchStore(base+in, size); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// touchWrite is touch for a Write; it checks up to 16 bytes on both sides.
func (t *thread) touchWrite(off dimmnet.Offset, size int) error {
	end := int(off) + size
	lo, hi := off-min(off, 16), dimmnet.Offset(min(end+16, t.limits.LLCM))
	p := noise(uint64(off)+uint64(size)<<16, size)
	return t.touch("a Write", lo, hi, off, p, func(dst dimmnet.Rank) error { return t.write(dst, off, p) })
}

// checkWrites: a Write changes only its own bytes, at any size and offset.
func checkWrites(e *env, nodes int) error { return e.run(nodes, (*thread).touchWrites) }

func (t *thread) touchWrites() error {
	for _, size := range sizes(t.limits.Block) {
		for in := dimmnet.Offset(0); in < word; in++ {
			if err := t.touchWrite(dataStart+16+in, size); err != nil {
				return err
			}
		}
		if err := t.touchWrite(dimmnet.Offset(t.limits.LLCM-size), size); err != nil {
			return err
		}
		if size <= 16 {
			if err := t.touchWrite(0, size); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSelf: a rank can post to itself in a run of several ranks.
func checkSelf(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		t.next, t.prev = t.me, t.me
		return inOrder(t.touchStores, t.touchWrites)
	})
}

// checkReuse: the caller may reuse the buffer of a Write when Write returns.
func checkReuse(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		n := t.limits.Block
		count := min(16, (t.limits.LLCM-int(dataStart))/n)
		buf := make([]byte, n)
		for round := range e.rounds(50) {
			key := func(i int) uint64 { return uint64(round*count + i) }
			slot := func(i int) dimmnet.Offset { return dataStart + dimmnet.Offset(i*n) }
			err := t.exchange(
				func() error {
					for i := range count {
						copy(buf, noise(key(i), n))
						if err := t.post(func() bool { return t.Write(t.next, slot(i), buf) }); err != nil {
							return err
						}
						clear(buf)
					}
					return nil
				},
				func() error {
					for i := range count {
						if err := t.expect("a Write whose buffer was reused", slot(i), noise(key(i), n)); err != nil {
							return err
						}
					}
					return nil
				})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
