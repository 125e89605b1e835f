package porttest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// stuck waits for a flag that is never stored, and checks that a failed port stays failed: Err
// returns Drive's error, Idle does not block, and nothing can be posted.
func (t *thread) stuck() error {
	err := t.await(flagNever, 1)
	if err == nil {
		return fmt.Errorf("porttest: rank %d waited for a flag that no rank stores, and Drive returned nil", t.me)
	}
	for range 3 {
		if now := t.Err(); now == nil || now != err {
			return fmt.Errorf("porttest: rank %d: Drive failed with %q, but then Err returned %v", t.me, err, now)
		}
		t.Idle(t.Arrivals())
	}
	before := t.Counters()
	if method := t.postsAnything(); method != "" {
		return fmt.Errorf("porttest: rank %d failed with %q, but a later %s was posted", t.me, err, method)
	}
	if c := t.Counters(); c != before {
		return fmt.Errorf("porttest: rank %d failed with %q, but its counters then changed from %+v to %+v", t.me, err, before, c)
	}
	return err
}

// postsAnything tries every kind of post and returns the name of the first that succeeds.
func (t *thread) postsAnything() string {
	l := t.limits
	switch {
	case t.Store(t.me, dataStart, 0, 1):
		return "Store"
	case t.Write(t.me, dataStart, []byte{0}):
		return "Write"
	case l.Multicast > 0 && t.Multicast([]dimmnet.Rank{t.me}, dataStart, 0, 1):
		return "Multicast"
	case l.RDMA > 0 && t.Push(t.me, dataStart, dataStart+word, 1, flagDone):
		return "Push"
	case l.RDMA > 0 && t.Pull(t.me, dataStart, dataStart+word, 1, flagDone):
		return "Pull"
	}
	return ""
}

// runStuck makes a run in which the last rank executes last and all other ranks wait forever. It
// returns the run's failure. By then all bodies must have returned, and all waiting ranks must
// have seen the failure; complaint names a rank that has not.
func (e *env) runStuck(ctx context.Context, nodes int, last func(*thread) error) (failure, complaint error) {
	returned := make([]atomic.Pointer[error], nodes)
	var started atomic.Bool // false if a slow machine starts the run after the context has ended
	failure = e.runOn(ctx, e.network(), nodes, func(t *thread) (err error) {
		started.Store(true)
		defer func() { returned[t.me].Store(&err) }()
		if int(t.me) == nodes-1 {
			return last(t)
		}
		return t.stuck()
	})
	if failure == nil {
		return nil, errors.New("porttest: a run that must fail: Run returned nil")
	}
	if strings.HasPrefix(failure.Error(), "porttest:") {
		return failure, failure
	}
	for r := range returned {
		err := returned[r].Load()
		if err == nil && started.Load() {
			return failure, fmt.Errorf("porttest: rank %d did not return after the run failed: %w", r, failure)
		}
		if err != nil && *err != nil && strings.HasPrefix((*err).Error(), "porttest:") {
			return failure, *err
		}
	}
	return failure, nil
}

// wantStuck is runStuck for a run that must fail with target, in the sense of errors.Is.
func (e *env) wantStuck(ctx context.Context, nodes int, target error, last func(*thread) error) error {
	failure, err := e.runStuck(ctx, nodes, last)
	if err != nil {
		return err
	}
	return want(failure, target)
}

func want(err, target error) error {
	if !errors.Is(err, target) {
		return fmt.Errorf("porttest: Run returned %v, want %v", err, target)
	}
	return nil
}

// afterIdling delays f until the other ranks have had time to fall asleep.
func afterIdling(f func(*thread) error) func(*thread) error {
	return func(t *thread) error {
		for i := range uint64(100) {
			if err := t.stage(dataStart, noise(i, 1)); err != nil {
				return err
			}
			t.host.Spend(dimmnet.Millisecond)
			runtime.Gosched()
		}
		return f(t)
	}
}

// checkBodyFails: when a body returns an error, all waiting ranks stop waiting, and Run
// returns it. The other ranks wait already, or begin to wait later.
func checkBodyFails(e *env, nodes int) error {
	boom := errors.New("boom")
	fails := func(*thread) error { return boom }
	ctx := context.Background()
	return inOrder(
		func() error { return e.wantStuck(ctx, nodes, boom, fails) },
		func() error { return e.wantStuck(ctx, nodes, boom, afterIdling(fails)) })
}

// checkBodyPanics: the error of a panic contains its value.
func checkBodyPanics(e *env, nodes int) error {
	const value = "porttest panics on purpose: 4711"
	failure, err := e.runStuck(context.Background(), nodes, func(*thread) error { panic(value) })
	if err == nil && !strings.Contains(failure.Error(), value) {
		return fmt.Errorf("porttest: a body panicked with %q, Run returned %w", value, failure)
	}
	return err
}

// loadOn loads, without idling, until the port fails.
func (t *thread) loadOn() error {
	for {
		t.Load(flagNever)
		if err := t.runErr(); err != nil {
			return err
		}
		runtime.Gosched()
	}
}

// checkCancelled: cancelling the context ends a run, whether its ranks wait or not.
func checkCancelled(e *env, nodes int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return e.wantStuck(ctx, nodes, context.Canceled, afterIdling(func(t *thread) error {
		cancel()
		return t.loadOn()
	}))
}

// checkDeadlineExceeded: an expired deadline of the context ends a run.
func checkDeadlineExceeded(e *env, nodes int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	return e.wantStuck(ctx, nodes, context.DeadlineExceeded, (*thread).loadOn)
}

// checkCancelledBefore: if the context is done before the run, the run fails.
func checkCancelledBefore(e *env, nodes int) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return want(e.runOn(ctx, e.network(), nodes, (*thread).loadOn), context.Canceled)
}

// checkDeadlock: a run fails if all its ranks wait, or if some wait and the rest have returned. A
// port that cannot detect this may wait for the end of its context.
func checkDeadlock(e *env, nodes int) error {
	for _, last := range []func(*thread) error{
		(*thread).stuck,
		afterIdling((*thread).stuck),
		func(*thread) error { return nil },
		afterIdling(func(*thread) error { return nil }),
		// for one node, skip the last two cases: a single rank that returns has not failed
	}[:min(4, 2*nodes)] {
		ctx, cancel := context.WithTimeout(context.Background(), e.patience)
		_, err := e.runStuck(ctx, nodes, last)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}
