package porttest

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// checkNoRDMA: a port without RDMA panics on Push and Pull.
func checkNoRDMA(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.RDMA > 0 {
			return nil
		}
		return t.lacks("RDMA",
			func() { t.Push(t.next, 0, dataStart, 1, flagDone) },
			func() { t.Pull(t.next, 0, dataStart, 1, flagDone) })
	})
}

// checkNoBulk: without bulk memory Fill and Read panic there; Flip does nothing.
func checkNoBulk(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.Bulk > 0 || t.bulk().lo > maxOffset {
			return nil
		}
		start := dimmnet.Offset(t.bulk().lo)
		err := t.lacks("bulk memory",
			func() { t.Fill(start, []byte{1}) },
			func() { t.Read([]byte{1}, start) })
		if err != nil {
			return err
		}
		p := noise(1, t.limits.LLCM-int(dataStart))
		if err := t.stage(dataStart, p); err != nil {
			return err
		}
		t.Flip()
		return t.expect("after a Flip", dataStart, p)
	})
}

// checkNoMulticast: a port without Multicast panics on the call.
func checkNoMulticast(e *env, nodes int) error {
	return e.run(nodes, func(t *thread) error {
		if t.limits.Multicast > 0 {
			return nil
		}
		return t.lacks("Multicast", func() { t.Multicast([]dimmnet.Rank{t.next}, dataStart, 1, 1) })
	})
}

// lacks returns an error unless all calls panic and change no counter.
func (t *thread) lacks(what string, calls ...func()) error {
	before := t.Counters()
	for i, call := range calls {
		if !panics(call) {
			return fmt.Errorf("porttest: the limit of %s is 0, but call %d did not panic", what, i)
		}
	}
	if c := t.Counters(); c != before {
		return fmt.Errorf("porttest: the limit of %s is 0: counters %+v after calls that panicked, before %+v", what, c, before)
	}
	return nil
}
