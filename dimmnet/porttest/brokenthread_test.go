package porttest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
)

// The hosts of this file break one rule about threads each.

// hosts is an inproc network with changed hosts, also of threads.
type hosts struct {
	*inproc.Network
	change func(dimmnet.Host) dimmnet.Host
}

func (n hosts) Run(ctx context.Context, nodes int, body func(dimmnet.Host) error) error {
	return n.Network.Run(ctx, nodes, func(h dimmnet.Host) error {
		return body(n.change(changedHost{h, n.change}))
	})
}

type changedHost struct {
	dimmnet.Host
	change func(dimmnet.Host) dimmnet.Host
}

func (h changedHost) Go(name string, f func(dimmnet.Host) error) {
	h.Host.Go(name, func(own dimmnet.Host) error { return f(h.change(changedHost{own, h.change})) })
}

// nameless drops the names of threads.
type nameless struct{ dimmnet.Host }

func (h nameless) Go(_ string, f func(dimmnet.Host) error) { h.Host.Go("", f) }

// forgiving ignores the error that a thread returns.
type forgiving struct{ dimmnet.Host }

func (h forgiving) Go(name string, f func(dimmnet.Host) error) {
	h.Host.Go(name, func(own dimmnet.Host) error { _ = f(own); return nil })
}

// onePort gives a thread the host of the thread that started it.
type onePort struct{ dimmnet.Host }

func (h onePort) Go(name string, f func(dimmnet.Host) error) {
	h.Host.Go(name, func(dimmnet.Host) error { return f(h) })
}

// loose never starts its threads, as if Run returned before they ran. Threads that really ran
// after Run would use a network that no longer exists.
type loose struct{ dimmnet.Host }

func (loose) Go(string, func(dimmnet.Host) error) {}

// events changes the events of a host.
type events struct {
	dimmnet.Host
	change func(dimmnet.Event) dimmnet.Event
}

func (h events) NewEvent() dimmnet.Event { return h.change(h.Host.NewEvent()) }

// tally returns from Wait once for each Set.
type tally struct {
	dimmnet.Event
	mu   sync.Mutex
	sets int
}

func (e *tally) Set() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sets++
	e.Event.Set()
}

func (e *tally) Wait() error {
	err := e.Event.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sets--; e.sets > 0 {
		e.Event.Set()
	}
	return err
}

// staying does not clear the event in Wait.
type staying struct{ dimmnet.Event }

func (e staying) Wait() error {
	defer e.Set()
	return e.Event.Wait()
}

// numb does not return when the run has failed.
type numb struct{ dimmnet.Event }

func (e numb) Wait() error {
	if e.Event.Wait() != nil {
		leftBehind()
	}
	return nil
}

// hasty returns from Wait whether the event is set or not.
type hasty struct{ dimmnet.Event }

func (e hasty) Wait() error { return nil }

// TestCatchesThreads runs, on hosts that break a rule, the cases that should then fail.
func TestCatchesThreads(t *testing.T) {
	event := func(change func(dimmnet.Event) dimmnet.Event) func(dimmnet.Host) dimmnet.Host {
		return func(h dimmnet.Host) dimmnet.Host { return events{h, change} }
	}
	for _, m := range []struct {
		rule   string
		change func(dimmnet.Host) dimmnet.Host
		cases  string
		races  bool // breaking the rule is a data race, so it is skipped under the race detector
	}{
		{"errors name the thread", func(h dimmnet.Host) dimmnet.Host { return nameless{h} }, "ThreadFails ThreadPanics", false},
		{"the error of a thread fails the run", func(h dimmnet.Host) dimmnet.Host { return forgiving{h} }, "ThreadFails", false},
		{"a thread has its own port", func(h dimmnet.Host) dimmnet.Host { return onePort{h} }, "ThreadCounters", false},
		{"the run waits for threads", func(h dimmnet.Host) dimmnet.Host { return loose{h} }, "ThreadsOutlive", false},
		{"several Sets count as one", event(func(e dimmnet.Event) dimmnet.Event { return &tally{Event: e} }), "EventSets", true},
		{"Wait clears the event", event(func(e dimmnet.Event) dimmnet.Event { return staying{e} }), "EventSets EventPingPong", true},
		{"Wait returns when the run has failed", event(func(e dimmnet.Event) dimmnet.Event { return numb{e} }), "CancelledWait DeadlockWait ThreadFails", false},
		{"Wait waits", event(func(e dimmnet.Event) dimmnet.Event { return hasty{e} }), "CancelledWait DeadlockWait EventPingPong EventAndIdle", true},
	} {
		if raceDetector && m.races {
			continue
		}
		for _, c := range threadCases() {
			if !strings.Contains(" "+m.cases+" ", " "+c.name+" ") {
				continue
			}
			e := testEnv(func() dimmnet.Network {
				return hosts{inproc.New(inproc.Config{Grace: 200 * time.Millisecond}), m.change}
			})
			e.bound = 300 * time.Millisecond
			nodes := c.nodes[len(c.nodes)-1]
			if err := c.check(e, nodes); err == nil {
				t.Errorf("PORTTEST_SEED=%d: %s: %s/nodes=%d passes though the rule is broken", e.seed, m.rule, c.name, nodes)
			}
		}
	}
}
