package porttest

import (
	"context"
	"errors"
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

const maxOffset = 1<<32 - 1

// checkLimits: every rank runs once, knows its number, and has the same limits.
func checkLimits(e *env, nodes int) error {
	runs := make([]int, nodes)
	limits := make([]dimmnet.Limits, nodes)
	err := e.run(nodes, func(t *thread) error {
		if int(t.me) >= nodes || t.Nodes() != nodes {
			return fmt.Errorf("porttest: a body has rank %d of %d nodes, in a run of %d nodes", t.me, t.Nodes(), nodes)
		}
		runs[t.me]++
		limits[t.me] = t.Limits()
		l := t.limits
		switch {
		case l.Store < 1 || l.Store > word:
			return fmt.Errorf("porttest: Limits.Store is %d: want 1 to %d bytes", l.Store, word)
		case l.Block < 1 || l.Block > l.LLCM:
			return fmt.Errorf("porttest: Limits.Block is %d: want 1 to the LLCM's %d bytes", l.Block, l.LLCM)
		case l.RDMA < 0 || l.RDMA > max(l.LLCM, l.Bulk):
			return fmt.Errorf("porttest: Limits.RDMA is %d: want 0 to the larger of the LLCM's %d bytes and the bulk memory's %d", l.RDMA, l.LLCM, l.Bulk)
		case l.Bulk < 0 || int64(l.LLCM)+int64(l.Bulk) > maxOffset+1:
			return fmt.Errorf("porttest: bulk memory of %d bytes after an LLCM of %d: want 0 or more, and at most 4 GiB together", l.Bulk, l.LLCM)
		case l.Bulk > 0 && l.Bulk < page:
			return fmt.Errorf("porttest: bulk memory of %d bytes: the tests need none or at least %d", l.Bulk, page)
		case l.Multicast < 0:
			return fmt.Errorf("porttest: Limits.Multicast is %d: want 0 or more", l.Multicast)
		case l.LLCM%word != 0 || int64(l.LLCM) > 1<<32:
			return fmt.Errorf("porttest: LLCM of %d bytes: want a multiple of %d up to 4 GiB", l.LLCM, word)
		case l.LLCM < 2048+5*l.Block:
			return fmt.Errorf("porttest: LLCM of %d bytes: the tests need 2048 and 5 blocks of %d", l.LLCM, l.Block)
		}
		if c := t.Counters(); c != (dimmnet.Counters{}) {
			return fmt.Errorf("porttest: a new port has the counters %+v: want zeros", c)
		}
		return t.Err()
	})
	if err != nil {
		return err
	}
	for r := range runs {
		if runs[r] != 1 {
			return fmt.Errorf("porttest: the body of rank %d ran %d times: want once", r, runs[r])
		}
		if limits[r] != limits[0] {
			return fmt.Errorf("porttest: limits of rank %d are %+v: want those of rank 0, %+v", r, limits[r], limits[0])
		}
	}
	return nil
}

// checkNodeCount: a run with no node or too many nodes returns an error and starts no body.
func checkNodeCount(e *env, _ int) error {
	for _, nodes := range []int{-1, 0, dimmnet.MaxNodes + 1} {
		err := e.run(nodes, func(*thread) error { panic("porttest: a body ran") })
		if err == nil {
			return fmt.Errorf("porttest: Run on %d nodes returned no error", nodes)
		}
	}
	return nil
}

// checkFresh: an LLCM starts as zeros, also in a second run and after a failed run.
func checkFresh(e *env, nodes int) error {
	network := e.network()
	boom := errors.New("boom")
	for i := range 3 {
		err := e.runOn(context.Background(), network, nodes, func(t *thread) error {
			if err := t.Err(); err != nil {
				return err
			}
			// exchange writes two flags, which are not checked here; other bytes arrive later
			rest := make([]byte, t.limits.LLCM-int(flagAck+word))
			err := inOrder(
				func() error { return t.expect("a new LLCM", 0, rest[:flagData]) },
				func() error { return t.expect("a new LLCM", flagAck+word, rest) },
				func() error { return t.exchange(nothing, nothing) },
				func() error { return t.write(t.next, dataStart, noise(uint64(i), t.limits.Block)) },
				func() error { return t.exchange(nothing, nothing) })
			if err == nil && i == 1 && t.me == 0 {
				return boom
			}
			return err
		})
		if i == 1 && !errors.Is(err, boom) {
			return fmt.Errorf("porttest: run 1: %v, want %v", err, boom)
		}
		if i != 1 && err != nil {
			return fmt.Errorf("porttest: run %d: %w", i, err)
		}
	}
	return nil
}

// checkHost: the clock never goes back, and Spend moves only a virtual clock.
func checkHost(e *env, nodes int) error {
	network := e.network()
	clock := network.Clock()
	if clock != dimmnet.Virtual && clock != dimmnet.Wall {
		return fmt.Errorf("porttest: Clock returned %q: want virtual or wall", clock)
	}
	return e.runOn(context.Background(), network, nodes, func(t *thread) error {
		const hour = 3600 * dimmnet.Second
		start := t.host.Now()
		if start < 0 {
			return fmt.Errorf("porttest: a run starts at time %v, want at least 0", start)
		}
		t.host.Spend(0)
		before := t.host.Now()
		t.host.Spend(hour)
		after := t.host.Now()
		if before < start || after < before {
			return fmt.Errorf("porttest: the clock went from %v to %v and then %v: want no step back", start, before, after)
		}
		if moved := after-before >= hour; moved != (clock == dimmnet.Virtual) {
			return fmt.Errorf("porttest: Spend of %v moved a %s clock by %v: only a virtual clock must move", hour, clock, after-before)
		}
		t.host.Note("porttest", uint64(t.me))
		if !panics(func() { t.host.Spend(-1) }) {
			return errors.New("porttest: Spend(-1) did not panic")
		}
		return nil
	})
}

func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}
