package porttest

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// checkCounters: a port counts posts and polls, neither arrivals nor the bytes of Read or Fill.
func checkCounters(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.me == 1 {
			if err := t.await(flagData, 1); err != nil {
				return err
			}
			c := t.Counters()
			if c.Polls == 0 {
				return fmt.Errorf("porttest: rank 1 has polled, but its counters are %+v", c)
			}
			c.Polls = 0
			return t.counted("what arrives", dimmnet.Counters{}, c, dimmnet.Counters{})
		}
		return inOrder(t.countPosts, t.countMulticasts, t.countRDMA, t.countLoads, t.countReads, func() error { return t.signal(1, flagData, 1) })
	})
}

func (t *thread) counted(what string, before, after, more dimmnet.Counters) error {
	if want := before.Plus(more); after != want {
		return fmt.Errorf("porttest: counters after %s: %+v, want %+v", what, after, want)
	}
	return nil
}

func (t *thread) countPosts() error {
	before := t.Counters()
	var more dimmnet.Counters
	for size := 1; size <= t.limits.Store; size++ {
		if err := t.post(func() bool { return t.Store(1, dataStart, 0, size) }); err != nil {
			return err
		}
		more.Stores++
		more.Bytes += uint64(size)
	}
	for _, n := range sizes(t.limits.Block) {
		for _, dst := range []dimmnet.Rank{0, 1} {
			if err := t.write(dst, dataStart, make([]byte, n)); err != nil {
				return err
			}
			more.Writes++
			more.Bytes += uint64(n)
		}
	}
	return t.counted("Stores and Writes", before, t.Counters(), more)
}

// countMulticasts: each Multicast counts as one Store, however many ranks it reaches.
func (t *thread) countMulticasts() error {
	for size := 1; size <= t.limits.Store; size++ {
		for n := 1; n <= min(t.limits.Multicast, t.Nodes()); n++ {
			before := t.Counters()
			if err := t.post(func() bool { return t.Multicast(ranks(n), dataStart, 0, size) }); err != nil {
				return err
			}
			more := dimmnet.Counters{Stores: 1, Bytes: uint64(size)}
			if err := t.counted(fmt.Sprintf("a Multicast to %d ranks", n), before, t.Counters(), more); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *thread) countRDMA() error {
	if t.limits.RDMA == 0 {
		return nil
	}
	for _, n := range sizes(min(t.limits.RDMA, 512)) {
		before := t.Counters()
		from, to := dataStart, dataStart+512
		err := inOrder(
			func() error { return t.post(func() bool { return t.Push(1, from, to, n, flagDone) }) },
			func() error { return t.post(func() bool { return t.Pull(1, from, to, n, flagDone+word) }) })
		if err != nil {
			return err
		}
		more := dimmnet.Counters{Pushes: 1, Pulls: 1, Bytes: 2 * uint64(n)}
		if err := t.counted("a Push and a Pull", before, t.Counters(), more); err != nil {
			return err
		}
		// No size occurs twice, so the word at done changes with every move.
		err = inOrder(
			func() error { return t.awaitWord(flagDone, uint64(n)) },
			func() error { return t.awaitWord(flagDone+word, uint64(n)) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *thread) countLoads() error {
	before := t.Counters()
	const polls = 100
	buf := make([]byte, 64)
	for i := range polls {
		t.Load(dataStart + dimmnet.Offset(i%4*word))
		t.Read(buf, flagRank)
		t.Arrivals()
		t.Err()
		t.Counters()
	}
	return t.counted("Loads", before, t.Counters(), dimmnet.Counters{Polls: polls})
}

// countReads: a Read within one word of the LLCM is a poll. Fill and Flip count as nothing.
func (t *thread) countReads() error {
	for in := range word {
		for n := 1; n <= 2*word; n++ {
			var more dimmnet.Counters
			if n < word && in+n <= word {
				more.Polls = 1
			}
			before := t.Counters()
			t.Read(make([]byte, n), dataStart+dimmnet.Offset(in))
			if err := t.counted(fmt.Sprintf("a Read of %d bytes at %d in a word", n, in), before, t.Counters(), more); err != nil {
				return err
			}
			if t.limits.Bulk == 0 {
				continue
			}
			before = t.Counters()
			at := dimmnet.Offset(t.limits.LLCM + in)
			t.Fill(at, make([]byte, n))
			t.Read(make([]byte, n), at)
			t.Flip()
			if err := t.counted("Fill, Read and Flip of bulk memory", before, t.Counters(), dimmnet.Counters{}); err != nil {
				return err
			}
		}
	}
	return nil
}
