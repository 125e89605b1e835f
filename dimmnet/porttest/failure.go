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

// stuck waits for what never comes, and checks that the failed port stays so: it
// has the error that Drive returned, keeps it, never idles again and posts
// nothing.
func (t *thread) stuck() error {
	err := t.await(flagNever, 1)
	if err == nil {
		return fmt.Errorf("porttest: rank %d found a flag that nobody stored", t.me)
	}
	for range 3 {
		if now := t.Err(); now == nil || now != err {
			return fmt.Errorf("porttest: rank %d: Drive failed with %q, then Err is %v", t.me, err, now)
		}
		t.Idle(t.Arrivals())
	}
	before := t.Counters()
	if method := t.postsAnything(); method != "" {
		return fmt.Errorf("porttest: rank %d has failed with %q, then a %s was posted", t.me, err, method)
	}
	if c := t.Counters(); c != before {
		return fmt.Errorf("porttest: rank %d has failed with %q, then its counters went from %+v to %+v", t.me, err, before, c)
	}
	return err
}

// postsAnything tries all that can be posted, and names what has been.
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

// runStuck runs nodes ranks of which the last does something and the others wait
// for ever, and returns the failure of the run. All bodies must have returned by
// then, and all that waited must have seen it; complaint says who did not.
func (e *env) runStuck(ctx context.Context, nodes int, last func(*thread) error) (failure, complaint error) {
	returned := make([]atomic.Pointer[error], nodes)
	var started atomic.Bool // not if the context was over before, on a machine that stood still
	failure = e.runOn(ctx, e.network(), nodes, func(t *thread) (err error) {
		started.Store(true)
		defer func() { returned[t.me].Store(&err) }()
		if int(t.me) == nodes-1 {
			return last(t)
		}
		return t.stuck()
	})
	if failure == nil {
		return nil, errors.New("porttest: the run failed, Run returned nil")
	}
	if strings.HasPrefix(failure.Error(), "porttest:") {
		return failure, failure
	}
	for r := range returned {
		err := returned[r].Load()
		if err == nil && started.Load() {
			return failure, fmt.Errorf("porttest: rank %d has not seen the failure of its run and is left behind: %w", r, failure)
		}
		if err != nil && *err != nil && strings.HasPrefix((*err).Error(), "porttest:") {
			return failure, *err
		}
	}
	return failure, nil
}

// wantStuck is runStuck that must fail with target, as errors.Is sees it.
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

// afterIdling is f when the other ranks have had time to fall asleep.
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

// checkBodyFails: the error of a body ends the waiting of all, and is what Run
// returns, whether they wait already or not yet.
func checkBodyFails(e *env, nodes int) error {
	boom := errors.New("boom")
	fails := func(*thread) error { return boom }
	ctx := context.Background()
	return inOrder(
		func() error { return e.wantStuck(ctx, nodes, boom, fails) },
		func() error { return e.wantStuck(ctx, nodes, boom, afterIdling(fails)) })
}

// checkBodyPanics: a panic is an error that holds its value.
func checkBodyPanics(e *env, nodes int) error {
	const value = "porttest panics on purpose: 4711"
	failure, err := e.runStuck(context.Background(), nodes, func(*thread) error { panic(value) })
	if err == nil && !strings.Contains(failure.Error(), value) {
		return fmt.Errorf("porttest: a body panicked with %q, Run returned %w", value, failure)
	}
	return err
}

// loadOn loads, never idling, until the port fails.
func (t *thread) loadOn() error {
	for {
		t.Load(flagNever)
		if err := t.lookOn(); err != nil {
			return err
		}
		runtime.Gosched()
	}
}

// checkCancelled: a context that is cancelled while ranks wait ends the run, for
// a rank that does not wait too.
func checkCancelled(e *env, nodes int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return e.wantStuck(ctx, nodes, context.Canceled, afterIdling(func(t *thread) error {
		cancel()
		return t.loadOn()
	}))
}

// checkDeadlineExceeded: so does one whose time is up.
func checkDeadlineExceeded(e *env, nodes int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	return e.wantStuck(ctx, nodes, context.DeadlineExceeded, (*thread).loadOn)
}

// checkCancelledBefore: a context that is done before the run is its failure.
func checkCancelledBefore(e *env, nodes int) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return want(e.runOn(ctx, e.network(), nodes, (*thread).loadOn), context.Canceled)
}

// checkDeadlock: a run in which all ranks wait, or all that have not returned,
// ends with an error. A port that cannot tell may wait for its context.
func checkDeadlock(e *env, nodes int) error {
	for _, last := range []func(*thread) error{
		(*thread).stuck,
		afterIdling((*thread).stuck),
		func(*thread) error { return nil },
		afterIdling(func(*thread) error { return nil }),
	}[:min(4, 2*nodes)] { // who is alone and returns has not failed
		ctx, cancel := context.WithTimeout(context.Background(), e.patience)
		_, err := e.runStuck(ctx, nodes, last)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}
