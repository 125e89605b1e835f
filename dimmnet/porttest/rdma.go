package porttest

import (
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// rdmaTest is a Push or Pull of n bytes from one half of the data to the other.
type rdmaTest struct {
	from, to dimmnet.Offset
	n        int
}

// margin is what is looked at around the bytes that an RDMA moves.
const margin = 16

// rdmaTests lists sizes up to the limit, or to what the halves hold, at random
// alignments. All ranks of a run have the same list.
func (t *thread) rdmaTests() []rdmaTest {
	r := rand.New(rand.NewPCG(t.env.seed, 0))
	half := (t.limits.LLCM - int(dataStart)) / 2 / word * word
	var list []rdmaTest
	for _, n := range sizes(min(t.limits.RDMA, half-2*margin-word)) {
		for i := range 4 {
			from, to := r.IntN(word), r.IntN(word)
			if i == 0 {
				from, to = 0, 0
			}
			list = append(list, rdmaTest{
				from: dataStart + margin + dimmnet.Offset(from),
				to:   dataStart + margin + dimmnet.Offset(half+to),
				n:    n,
			})
		}
	}
	return list
}

// stage puts p into the own memory, and returns when it is there.
func (t *thread) stage(off dimmnet.Offset, p []byte) error {
	if err := t.write(t.me, off, p); err != nil {
		return err
	}
	return t.settle()
}

// finished returns when n has been stored at done, and clears the word.
func (t *thread) finished(done dimmnet.Offset, n int) error {
	return inOrder(
		func() error { return t.awaitWord(done, uint64(n)) },
		func() error { return t.storeWord(t.me, done, 0) },
		t.settle,
	)
}

// checkPush: a Push moves its bytes, touches no others, and then stores its size
// at done.
func checkPush(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		for i, c := range t.rdmaTests() {
			data := noise(uint64(i)<<8+uint64(t.me), c.n)
			if err := t.stage(c.from, data); err != nil {
				return err
			}
			// touch wants the bytes that this rank will find.
			found := noise(uint64(i)<<8+uint64(t.prev), c.n)
			lo, hi := c.to-margin, c.to+dimmnet.Offset(c.n+margin)
			done := flagDone + dimmnet.Offset(i%16*word)
			err := t.touch("a Push", lo, hi, c.to, found, func(dst dimmnet.Rank) error {
				return inOrder(
					func() error { return t.post(func() bool { return t.Push(dst, c.from, c.to, c.n, done) }) },
					func() error { return t.finished(done, c.n) })
			})
			if err != nil {
				return err
			}
			if err := t.expect("the source of a Push", c.from, data); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkPull: a Pull fetches its bytes, touches no others, and then stores its
// size at done.
func checkPull(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		for i, c := range t.rdmaTests() {
			done := flagDone + dimmnet.Offset(i%16*word)
			background := noise(uint64(i), c.n+2*margin)
			pull := func() error {
				err := t.post(func() bool { return t.Pull(t.prev, c.from, c.to, c.n, done) })
				if err != nil {
					return err
				}
				if err := t.finished(done, c.n); err != nil {
					return err
				}
				copy(background[margin:], noise(uint64(i)<<8+uint64(t.prev), c.n))
				return t.expect(fmt.Sprintf("a Pull of %d bytes at offset %d", c.n, c.to), c.to-margin, background)
			}
			err := t.exchange(
				func() error {
					if err := t.stage(c.to-margin, background); err != nil {
						return err
					}
					return t.stage(c.from, noise(uint64(i)<<8+uint64(t.me), c.n))
				}, pull)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// checkNoRDMA: a port without RDMA panics when asked for it.
func checkNoRDMA(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.RDMA > 0 {
			return nil
		}
		before := t.Counters()
		push := func() { t.Push(t.next, 0, dataStart, 1, flagDone) }
		pull := func() { t.Pull(t.next, 0, dataStart, 1, flagDone) }
		if !panics(push) || !panics(pull) {
			return fmt.Errorf("porttest: RDMA limit 0, yet Push or Pull of 1 byte did not panic")
		}
		if c := t.Counters(); c != before {
			return fmt.Errorf("porttest: counters %+v after Push and Pull panicked, before %+v", c, before)
		}
		return nil
	})
}
