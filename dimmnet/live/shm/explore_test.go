//go:build linux && fagusdelay

package shm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
)

// protocol is how the threads of an explored program wait and wake: the real code, or a mistake.
type protocol struct {
	await  func(p *port, off dimmnet.Offset, want uint64) error
	post   func(p *port, dst dimmnet.Rank, off dimmnet.Offset, v uint64)
	wait   func(e *event) error
	set    func(e *event)
	notify func(p *port, dst dimmnet.Rank)
	fail   func(p *port, err error)
}

func realProtocol() protocol {
	return protocol{
		await: func(p *port, off dimmnet.Offset, want uint64) error { return await(p, p, off, want) },
		post:  func(p *port, dst dimmnet.Rank, off dimmnet.Offset, v uint64) { p.Store(dst, off, v, word) },
		wait:  (*event).Wait,
		set:   (*event).Set,
		notify: func(p *port, dst dimmnet.Rank) {
			p.Notify(dst)
		},
		fail: func(p *port, err error) { p.run.leave(p, err, err) },
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

// await waits as all users of a port do. idler is p, or p with a mistake.
func await(p *port, idler dimmnet.Port, off dimmnet.Offset, want uint64) error {
	c := &counter{port: p, off: off, want: want}
	return dimmnet.Drive(idler, c, func() bool { return c.seen })
}

// explored is a program for Explore. Its runs share the segments.
type explored struct {
	protocol
	segments []*segment
	ports    []*port // by rank
}

// reset returns to the start of a run. No processors are known, so no thread spins.
func (x *explored) reset(processes bool) {
	x.ports = nil
	var own []dimmnet.Rank
	for rank, s := range x.segments {
		*s.header = header{}
		clear(s.LLCM[:16])
		own = append(own, dimmnet.Rank(rank))
	}
	cfg := Config{Patience: time.Hour, LLCM: len(x.segments[0].LLCM) * word}
	if !processes {
		_, x.ports = newRun(cfg, x.segments, own)
		return
	}
	for rank := range own {
		_, ports := newRun(cfg, x.segments, own[rank:][:1])
		x.ports = append(x.ports, ports...)
	}
}

// helper returns the port of another thread of a rank.
func (x *explored) helper(rank dimmnet.Rank) *port {
	p := x.ports[rank]
	q := p.run.newPort(rank)
	p.Begin(&q.Thread, "helper")
	return q
}

type program struct {
	name        string
	preemptions int // -1: all schedules
	start       func(x *explored) []func() error
}

var errBoom = errors.New("boom")

func programs() []program {
	return []program{
		{"one waiter", -1, func(x *explored) []func() error {
			x.reset(false)
			return []func() error{
				func() error {
					return errors.Join(x.await(x.ports[1], 0, 1), x.await(x.ports[1], 0, 2))
				},
				func() error {
					x.post(x.ports[0], 1, 0, 1)
					delay.Here()
					x.post(x.ports[0], 1, 0, 2)
					return nil
				},
			}
		}},
		{"two waiters of a rank", 4, func(x *explored) []func() error {
			x.reset(false)
			helper := x.helper(1)
			return []func() error{
				func() error { return x.await(x.ports[1], 0, 1) },
				func() error { return x.await(helper, 8, 1) },
				func() error {
					x.post(x.ports[0], 1, 0, 1)
					delay.Here()
					x.post(x.ports[0], 1, 8, 1)
					return nil
				},
			}
		}},
		{"two posters", 4, func(x *explored) []func() error {
			x.reset(false)
			return []func() error{
				func() error {
					return errors.Join(x.await(x.ports[1], 0, 1), x.await(x.ports[1], 8, 1))
				},
				func() error { x.post(x.ports[0], 1, 0, 1); return nil },
				func() error { x.post(x.ports[2], 1, 8, 1); return nil },
			}
		}},
		{"ping-pong", 6, func(x *explored) []func() error {
			x.reset(false)
			return []func() error{
				func() error {
					x.post(x.ports[0], 1, 0, 1)
					err := x.await(x.ports[0], 0, 1)
					x.post(x.ports[0], 1, 0, 2)
					return errors.Join(err, x.await(x.ports[0], 0, 2))
				},
				func() error {
					err := x.await(x.ports[1], 0, 1)
					x.post(x.ports[1], 0, 0, 1)
					err = errors.Join(err, x.await(x.ports[1], 0, 2))
					x.post(x.ports[1], 0, 0, 2)
					return err
				},
			}
		}},
		{"event", 4, func(x *explored) []func() error {
			x.reset(false)
			a, b := x.ports[1].NewEvent().(*event), x.ports[1].NewEvent().(*event)
			return []func() error{
				func() error {
					err := x.wait(a)
					x.set(b)
					return errors.Join(err, x.wait(a))
				},
				func() error {
					x.set(a)
					err := x.wait(b)
					x.set(a)
					return err
				},
			}
		}},
		{"notices of two ranks", 4, func(x *explored) []func() error {
			x.reset(false)
			return []func() error{
				func() error {
					for x.ports[1].Notices() < 2 {
						if err := x.wait(x.ports[1].notice); err != nil {
							return err
						}
					}
					return nil
				},
				func() error { x.notify(x.ports[0], 1); return nil },
				func() error { x.notify(x.ports[2], 1); return nil },
			}
		}},
		{"failure in a process", 1, func(x *explored) []func() error {
			x.reset(false)
			e := x.helper(1).NewEvent().(*event)
			return x.failing(e)
		}},
		{"failure of another process", 1, func(x *explored) []func() error {
			x.reset(true)
			e := x.helper(1).NewEvent().(*event)
			return x.failing(e)
		}},
	}
}

// failing returns threads that wait forever in each way, and a thread that fails.
func (x *explored) failing(e *event) []func() error {
	boom := func(err error) error {
		if err == nil || !strings.Contains(err.Error(), "rank 0 failed: boom") && err != errBoom {
			return fmt.Errorf("a thread that waits ends with %v, want %v", err, errBoom)
		}
		return nil
	}
	return []func() error{
		func() error { x.fail(x.ports[0], errBoom); return nil },
		func() error { return boom(x.await(x.ports[1], 0, 1)) },
		func() error { return boom(x.wait(e)) },
		func() error { return boom(x.wait(x.ports[2].notice)) },
	}
}

// mistake is a change to the protocol that program must find.
type mistake struct {
	name    string
	program string
	plant   func(p *protocol)
}

// lateAnnouncer has a mistake in Arrivals.
type lateAnnouncer struct{ *port }

func (p lateAnnouncer) Arrivals() dimmnet.Mark {
	if !p.announces {
		return dimmnet.Awake
	}
	p.own.asleep.Store(1)
	delay.Here()
	seen := p.own.wakes.Load()
	delay.Here()
	return dimmnet.Mark(seen)<<1 | 1
}

// store makes a post function of what happens to the destination after the store.
func store(then func(s *segment)) func(p *port, dst dimmnet.Rank, off dimmnet.Offset, v uint64) {
	return func(p *port, dst dimmnet.Rank, off dimmnet.Offset, v uint64) {
		p.Thread.Store(dst, off, v, word)
		delay.Here()
		then(p.run.segments[dst])
	}
}

func mistakes() []mistake {
	futex := func(s *segment) *uint32 { return (*uint32)(unsafe.Pointer(&s.wakes)) }
	return []mistake{
		{"polls before it announces", "one waiter", func(x *protocol) {
			x.await = func(p *port, off dimmnet.Offset, want uint64) error {
				for p.Load(off) < want {
					p.Idle(p.Arrivals())
				}
				return nil
			}
		}},
		{"announces before it reads the wake-ups", "two waiters of a rank", func(x *protocol) {
			x.await = func(p *port, off dimmnet.Offset, want uint64) error {
				return await(p, lateAnnouncer{p}, off, want)
			}
		}},
		{"wakes before the bytes land", "one waiter", func(x *protocol) {
			x.post = func(p *port, dst dimmnet.Rank, off dimmnet.Offset, v uint64) {
				p.run.segments[dst].arrive()
				delay.Here()
				p.Thread.Store(dst, off, v, word)
			}
		}},
		{"looks for a waiter before it posts", "one waiter", func(x *protocol) {
			x.post = func(p *port, dst dimmnet.Rank, off dimmnet.Offset, v uint64) {
				s := p.run.segments[dst]
				asleep := s.asleep.Load()
				delay.Here()
				p.Thread.Store(dst, off, v, word)
				if asleep != 0 {
					s.arrive()
				}
			}
		}},
		{"wakes one waiter", "two waiters of a rank", func(x *protocol) {
			x.post = store(func(s *segment) {
				if s.asleep.Swap(0) != 0 {
					s.wakes.Add(1)
					delay.Wake(futex(s), 1)
				}
			})
		}},
		{"wakes before it counts the wake-up", "one waiter", func(x *protocol) {
			x.post = store(func(s *segment) {
				if s.asleep.Swap(0) != 0 {
					delay.Wake(futex(s), 9)
					delay.Here()
					s.wakes.Add(1)
				}
			})
		}},
		{"clears asleep after the wake-up", "one waiter", func(x *protocol) {
			x.post = store(func(s *segment) {
				if s.asleep.Load() != 0 {
					s.wake()
					delay.Here()
					s.asleep.Store(0)
				}
			})
		}},
		{"does not clear asleep before it counts", "one waiter", func(x *protocol) {
			x.post = store(func(s *segment) {
				if s.asleep.Load() != 0 {
					s.wakes.Add(1)
					delay.Here()
					s.asleep.Store(0)
					delay.Wake(futex(s), 9)
				}
			})
		}},
		{"sets an event after the wake-up", "event", func(x *protocol) {
			x.set = func(e *event) {
				if e.flag.waiters.Load() != 0 {
					delay.Wake((*uint32)(unsafe.Pointer(&e.flag.value)), 9)
				}
				delay.Here()
				e.flag.value.Store(1)
			}
		}},
		{"looks for a waiter before it sets an event", "event", func(x *protocol) {
			x.set = func(e *event) {
				waiters := e.flag.waiters.Load()
				delay.Here()
				e.flag.value.Store(1)
				if waiters != 0 {
					delay.Wake((*uint32)(unsafe.Pointer(&e.flag.value)), 9)
				}
			}
		}},
		{"sets the event before it counts the notice", "notices of two ranks", func(x *protocol) {
			x.notify = func(p *port, dst dimmnet.Rank) {
				s := p.run.segments[dst]
				s.notice.set(true)
				delay.Here()
				s.notices.Add(1)
			}
		}},
		{"wakes before it tells the failure", "failure of another process", func(x *protocol) {
			x.fail = func(p *port, err error) {
				p.run.segments[0].setReason(err.Error(), false)
				for _, s := range p.run.segments {
					s.wake()
					delay.Here()
					s.failed.Store(1)
					s.notice.set(true)
				}
			}
		}},
	}
}

// newExplored returns three ranks.
func newExplored(t *testing.T) *explored {
	r, _ := newTestRun(t, 3)
	return &explored{protocol: realProtocol(), segments: r.segments}
}

// TestExplore tries all orders of the steps of threads that wait for each other. Every order ends,
// and with each planted mistake some order does not.
func TestExplore(t *testing.T) {
	byName := map[string]program{}
	for _, p := range programs() {
		x := newExplored(t)
		begun := time.Now()
		schedules, err := delay.Explore(p.preemptions, func() []func() error { return p.start(x) })
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		t.Logf("%s: %d schedules, %v", p.name, schedules, time.Since(begun).Round(time.Millisecond))
		byName[p.name] = p
	}
	for _, m := range mistakes() {
		x, p := newExplored(t), byName[m.program]
		m.plant(&x.protocol)
		schedules, err := delay.Explore(p.preemptions, func() []func() error { return p.start(x) })
		if err == nil {
			t.Errorf("%s: not found in %d schedules of %s", m.name, schedules, p.name)
			continue
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		t.Logf("mistake: %s: %s", m.name, first)
	}
}
