//go:build fagusdelay

package inproc

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
)

// protocol is how the threads of an explored program wait and wake: the real code, or a mistake.
type protocol struct {
	await  func(p *port, off dimmnet.Offset, want uint64) error
	due    func(p *port) bool
	post   func(p *port, dst dimmnet.Rank, off dimmnet.Offset, v uint64)
	set    func(e *event)
	notify func(p *port, dst dimmnet.Rank)
	fail   func(p *port, err error)
}

func realProtocol() protocol {
	return protocol{
		await: func(p *port, off dimmnet.Offset, want uint64) error {
			c := &counter{port: p, off: off, want: want}
			return dimmnet.Drive(p, c, func() bool { return c.seen })
		},
		due:    (*port).due,
		post:   func(p *port, dst dimmnet.Rank, off dimmnet.Offset, v uint64) { p.Store(dst, off, v, word) },
		set:    (*event).Set,
		notify: (*port).Notify,
		fail:   func(p *port, err error) { p.run.fail(err) },
	}
}

// counter is a Stepper that waits until the word at off of its own LLCM is want or more.
type counter struct {
	port dimmnet.Port
	off  dimmnet.Offset
	want uint64
	seen bool
}

func (c *counter) Step() (bool, error) {
	c.seen = c.port.Load(c.off) >= c.want
	return c.seen, nil
}

// explored is a program for Explore.
type explored struct {
	protocol
	ports []*port // by rank
}

func (x *explored) helper(rank dimmnet.Rank) *port {
	p := x.ports[rank]
	q := x.prepare(p.run.newPort(p.own))
	p.Begin(&q.Thread, "helper")
	return q
}

func (x *explored) prepare(p *port) *port {
	p.sleeper.due = func() bool { return x.due(p) }
	return p
}

// body returns a thread that calls steps in turn on p, until one fails, and leaves the run.
func (x *explored) body(p *port, steps ...func(p *port) error) func() error {
	return func() error {
		defer p.run.leave(p, nil, nil)
		for _, step := range steps {
			if err := step(p); err != nil {
				return err
			}
			delay.Here()
		}
		return nil
	}
}

func (x *explored) awaiting(off dimmnet.Offset, want uint64) func(p *port) error {
	return func(p *port) error { return x.await(p, off, want) }
}

func (x *explored) posting(dst dimmnet.Rank, off dimmnet.Offset, v uint64) func(p *port) error {
	return func(p *port) error { x.post(p, dst, off, v); return nil }
}

func (x *explored) setting(e *event) func(p *port) error {
	return func(*port) error { x.set(e); return nil }
}

func waiting(e *event) func(p *port) error { return func(*port) error { return e.Wait() } }

// failing checks that a step returns an error with this text.
func failing(text string, step func(p *port) error) func(p *port) error {
	return func(p *port) error {
		if err := step(p); err == nil || !strings.Contains(err.Error(), text) {
			return fmt.Errorf("a thread that waits ends with %v, want %s", err, text)
		}
		return nil
	}
}

type program struct {
	name        string
	nodes       int
	preemptions int // -1: all schedules
	start       func(x *explored) []func() error
}

func programs() []program {
	event := func(x *explored, rank dimmnet.Rank) *event { return newEvent(x.ports[rank].run, rank) }
	return []program{
		{"one waiter", 2, 4, func(x *explored) []func() error {
			return []func() error{
				x.body(x.ports[1], x.awaiting(0, 1), x.awaiting(0, 2)),
				x.body(x.ports[0], x.posting(1, 0, 1), x.posting(1, 0, 2)),
			}
		}},
		{"two waiters of a rank", 2, 2, func(x *explored) []func() error {
			return []func() error{
				x.body(x.ports[1], x.awaiting(0, 1)),
				x.body(x.helper(1), x.awaiting(8, 1)),
				x.body(x.ports[0], x.posting(1, 0, 1), x.posting(1, 8, 1)),
			}
		}},
		{"two posters", 3, 2, func(x *explored) []func() error {
			return []func() error{
				x.body(x.ports[1], x.awaiting(0, 1), x.awaiting(8, 1)),
				x.body(x.ports[0], x.posting(1, 0, 1)),
				x.body(x.ports[2], x.posting(1, 8, 1)),
			}
		}},
		{"ping-pong", 2, 3, func(x *explored) []func() error {
			return []func() error{
				x.body(x.ports[0], x.posting(1, 0, 1), x.awaiting(0, 1), x.posting(1, 0, 2), x.awaiting(0, 2)),
				x.body(x.ports[1], x.awaiting(0, 1), x.posting(0, 0, 1), x.awaiting(0, 2), x.posting(0, 0, 2)),
			}
		}},
		{"event", 2, 2, func(x *explored) []func() error {
			a, b := event(x, 1), event(x, 1)
			return []func() error{
				x.body(x.ports[1], waiting(a), x.setting(b), waiting(a)),
				x.body(x.helper(1), x.setting(a), waiting(b), x.setting(a)),
				x.body(x.ports[0]),
			}
		}},
		{"notices of two ranks", 3, 2, func(x *explored) []func() error {
			notified := func(p *port) error {
				for p.Notices() < 2 {
					if err := p.Notice().Wait(); err != nil {
						return err
					}
				}
				return nil
			}
			notify := func(p *port) error { x.notify(p, 1); return nil }
			return []func() error{x.body(x.ports[1], notified), x.body(x.ports[0], notify), x.body(x.ports[2], notify)}
		}},
		{"failure", 3, 1, func(x *explored) []func() error {
			boom := errors.New("boom")
			return []func() error{
				x.body(x.ports[0], func(p *port) error { x.fail(p, boom); return nil }),
				x.body(x.ports[1], failing("boom", x.awaiting(0, 1))),
				x.body(x.helper(1), failing("boom", waiting(event(x, 1)))),
				x.body(x.ports[2], failing("boom", x.awaiting(0, 1))),
			}
		}},
		{"transfers", 2, 2, func(x *explored) []func() error {
			nodes := x.ports[0].run.nodes
			nodes[0].LLCM.Store(0, 7, word)
			nodes[1].LLCM.Store(0, 9, word)
			landed := func(rank dimmnet.Rank, off dimmnet.Offset, want uint64) func(p *port) error {
				return func(*port) error {
					if got := nodes[rank].LLCM.Load(off); got != want {
						return fmt.Errorf("a transfer is done, and the word at %d of rank %d is %d, want %d", off, rank, got, want)
					}
					return nil
				}
			}
			return []func() error{
				x.body(x.helper(0), x.awaiting(16, word), landed(1, 8, 7), x.awaiting(32, word), landed(0, 24, 9)),
				x.body(x.ports[0],
					func(p *port) error { p.Push(1, 0, 8, word, 16); return nil },
					func(p *port) error { p.Pull(1, 0, 24, word, 32); return nil }),
				x.body(x.ports[1]),
			}
		}},
		{"deadlock", 3, 2, func(x *explored) []func() error {
			return []func() error{
				x.body(x.ports[0], failing("deadlock", x.awaiting(0, 1))),
				x.body(x.ports[1], failing("deadlock", waiting(event(x, 1)))),
				x.body(x.ports[2], x.posting(0, 8, 1)),
			}
		}},
	}
}

// mistake is a change to the protocol that program must find.
type mistake struct {
	name    string
	program string
	plant   func(x *protocol)
}

// store makes a post function of what happens at the destination after the store.
func store(then func(r *run, n *node)) func(p *port, dst dimmnet.Rank, off dimmnet.Offset, v uint64) {
	return func(p *port, dst dimmnet.Rank, off dimmnet.Offset, v uint64) {
		p.Thread.Store(dst, off, v, word)
		delay.Here()
		then(p.run, &p.run.nodes[dst])
	}
}

func mistakes() []mistake {
	return []mistake{
		{"polls before it takes the mark", "one waiter", func(x *protocol) {
			x.await = func(p *port, off dimmnet.Offset, want uint64) error {
				for p.Load(off) < want {
					delay.Here()
					p.Idle(p.Arrivals())
					if err := p.Err(); err != nil {
						return err
					}
				}
				return nil
			}
		}},
		{"reads the arrivals before it announces", "one waiter", func(x *protocol) {
			x.due = func(p *port) bool {
				arrived := p.own.arrivals.Load() != p.seen
				delay.Here()
				p.own.asleep.Store(true)
				return arrived
			}
		}},
		{"wakes before the bytes land", "one waiter", func(x *protocol) {
			x.post = func(p *port, dst dimmnet.Rank, off dimmnet.Offset, v uint64) {
				p.run.arrive(&p.run.nodes[dst])
				delay.Here()
				p.Thread.Store(dst, off, v, word)
			}
		}},
		{"looks for a waiter before it counts the arrival", "one waiter", func(x *protocol) {
			x.post = store(func(r *run, n *node) {
				asleep := n.asleep.Load()
				delay.Here()
				n.arrivals.Add(1)
				if asleep {
					r.wake(n)
				}
			})
		}},
		{"wakes one waiter", "two waiters of a rank", func(x *protocol) {
			x.post = store(func(r *run, n *node) {
				n.arrivals.Add(1)
				delay.Here()
				if n.asleep.Load() {
					r.Mu.Lock()
					defer r.Mu.Unlock()
					n.asleep.Store(false)
					n.cond.Signal()
				}
			})
		}},
		{"wakes without the lock", "one waiter", func(x *protocol) {
			x.post = store(func(r *run, n *node) {
				n.arrivals.Add(1)
				delay.Here()
				if n.asleep.Swap(false) {
					n.cond.Broadcast()
				}
			})
		}},
		{"clears asleep after the lock", "one waiter", func(x *protocol) {
			x.post = store(func(r *run, n *node) {
				n.arrivals.Add(1)
				delay.Here()
				if n.asleep.Load() {
					r.wake(n)
					n.asleep.Store(false)
				}
			})
		}},
		{"sets an event without the lock", "event", func(x *protocol) {
			x.set = func(e *event) {
				e.set = true
				e.cond.Signal()
			}
		}},
		{"sets the event before it counts the notice", "notices of two ranks", func(x *protocol) {
			x.notify = func(p *port, dst dimmnet.Rank) {
				n := &p.run.nodes[dst]
				n.notice.Set()
				n.notices.Add(1)
			}
		}},
		{"a failure wakes the first sleeper", "failure", func(x *protocol) {
			x.fail = func(p *port, err error) {
				r := p.run
				r.Mu.Lock()
				defer r.Mu.Unlock()
				if r.Break(err, err) && len(r.sleepers) > 0 {
					r.sleepers[0].cond.Broadcast()
				}
			}
		}},
	}
}

// explore runs p with x under all its schedules. There are more ranks than processors, so no
// thread polls for long.
func explore(t *testing.T, x *explored, p program) (schedules int, err error) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	cfg, err := Config{LLCM: 64}.withDefaults(p.nodes)
	if err != nil {
		t.Fatal(err)
	}
	return delay.Explore(p.preemptions, func() []func() error {
		_, x.ports = newRun(cfg, p.nodes)
		for _, q := range x.ports {
			x.prepare(q)
		}
		return p.start(x)
	})
}

// TestExplore tries the orders of the steps of threads that wait for each other. Every order ends,
// and without a deadlock where there is none. The same programs find planted mistakes.
func TestExplore(t *testing.T) {
	byName := map[string]program{}
	for _, p := range programs() {
		begun := time.Now()
		schedules, err := explore(t, &explored{protocol: realProtocol()}, p)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		t.Logf("%s: %d schedules, %v", p.name, schedules, time.Since(begun).Round(time.Millisecond))
		byName[p.name] = p
	}
	for _, m := range mistakes() {
		x := &explored{protocol: realProtocol()}
		m.plant(&x.protocol)
		schedules, err := explore(t, x, byName[m.program])
		if err == nil {
			t.Errorf("%s: not found in %d schedules of %s", m.name, schedules, m.program)
			continue
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		t.Logf("mistake: %s: %s", m.name, first)
	}
}
