//go:build fagusdelay

package locks

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/live/delay"
	"github.com/fagus-dsm/fagus/syncvar"
)

// explored is a program for Explore: the tenures of each rank.
type explored struct {
	name        string
	preemptions int
	vars        int
	spins       int
	ranks       [][]tenured
}

func programs() []explored {
	return []explored{
		{"two writers", -1, 1, 0, [][]tenured{{writes(0)}, {writes(0)}}},
		{"two writers that poll", 6, 1, 2, [][]tenured{{writes(0), writes(0)}, {writes(0), writes(0)}}},
		{"writer and reader", -1, 1, 0, [][]tenured{{writes(0)}, {reads(0)}}},
		{"writer and reader, twice", 6, 1, 1, [][]tenured{{writes(0), reads(0)}, {reads(0), writes(0)}}},
		{"three writers", 4, 1, 0, [][]tenured{{writes(0)}, {writes(0)}, {writes(0)}}},
		{"writer and two readers", 4, 1, 0, [][]tenured{{writes(0)}, {reads(0)}, {reads(0)}}},
		{"reader and two writers", 4, 1, 1, [][]tenured{{reads(0)}, {writes(0)}, {writes(0)}}},
		{"readers and a writer that come back", 3, 1, 0, [][]tenured{{reads(0), writes(0)}, {reads(0), reads(0)}, {writes(0), reads(0)}}},
		{"four ranks", 2, 1, 0, [][]tenured{{writes(0)}, {reads(0)}, {writes(0)}, {reads(0)}}},
		{"sets", 3, 2, 0, [][]tenured{{writes(0, 1)}, {{shared: []syncvar.ID{0}, exclusive: []syncvar.ID{1}}}, {{shared: []syncvar.ID{1}, exclusive: []syncvar.ID{0}}}}},
	}
}

// start returns a function that returns the threads of p, one for each rank.
func (p *explored) start(t *testing.T) func() []func() error {
	w := newWorld(len(p.ranks))
	engines, err := w.engines(p.vars, p.spins)
	if err != nil {
		t.Fatal(err)
	}
	return func() []func() error {
		w.reset(engines)
		d := newData(p.vars)
		ended := 0
		var threads []func() error
		for r, tenures := range p.ranks {
			threads = append(threads, func() error {
				e := engines[r]
				for _, t := range tenures {
					if err := d.tenure(e, t); err != nil {
						return err
					}
				}
				if ended++; ended == len(engines) {
					return e.free()
				}
				return nil
			})
		}
		return threads
	}
}

// reset returns engines of the world to their state at the begin of a run.
func (w *world) reset(engines []*Engine) {
	for _, b := range w.blocks {
		clear(b)
	}
	for r, e := range engines {
		w.hosts[r].err.Store(nil)
		for i := range e.known {
			e.known[i].same = false
		}
		clear(e.copies)
		e.counts, e.updates, e.open, e.settled, e.at = Counts{}, 0, false, 0, waiting{}
	}
}

// begin checks what a rank that has just acquired t may see, and writes.
func (d *data) begin(e *Engine, t tenured) error {
	for _, id := range t.shared {
		d.readers[id]++
		if v := e.Version(id); d.writers[id] > 0 || v != d.version[id] {
			return fmt.Errorf("rank %d reads v%d in version %d, beside %d writers: the last one made version %d", e.rank, id, v, d.writers[id], d.version[id])
		}
	}
	for _, id := range t.exclusive {
		d.writers[id]++
		if v := e.Version(id); d.writers[id] > 1 || d.readers[id] > 0 || v != d.version[id]+1 || !e.Owns(id) {
			return fmt.Errorf("rank %d (owner: %v) makes version %d of v%d after %d, beside %d writers and %d readers", e.rank, e.Owns(id), v, id, d.version[id], d.writers[id]-1, d.readers[id])
		}
		d.value[id]++
		d.version[id]++
	}
	return nil
}

func (d *data) end(t tenured) {
	for _, id := range t.shared {
		d.readers[id]--
	}
	for _, id := range t.exclusive {
		d.writers[id]--
	}
}

// tenure acquires and releases the variables of t.
func (d *data) tenure(e *Engine, t tenured) error {
	if err := e.Acquire(t.shared, t.exclusive); err != nil {
		return err
	}
	if err := d.begin(e, t); err != nil {
		return err
	}
	delay.Here()
	d.end(t)
	return e.Release(t.shared, t.exclusive, nil)
}

// free returns an error unless all variables are free.
func (e *Engine) free() error {
	for id, l := range e.locks {
		if s := l.load(); s != 0 || l.first != 0 {
			return fmt.Errorf("all ranks have released v%d, but its word is %#x and its list begins with %d", id, uint64(s), l.first)
		}
	}
	return nil
}

// TestExplore runs the real code under every order of its steps, with a bound on the preemptions of
// the larger programs. The waiters sleep: nothing but the Store of a releaser wakes them.
func TestExplore(t *testing.T) {
	for _, p := range programs() {
		schedules, err := delay.Explore(p.preemptions, p.start(t))
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		if schedules < 10 {
			t.Errorf("%s: only %d schedules", p.name, schedules)
		}
		t.Logf("%s: %d schedules", p.name, schedules)
	}
}

// TestExploreUpdates: after an Update, an exclusive Acquire waits until the other ranks have made a
// call, and is woken then.
func TestExploreUpdates(t *testing.T) {
	for _, nodes := range []int{2, 3} {
		w := newWorld(nodes)
		engines, err := w.engines(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		schedules, err := delay.Explore(4, func() []func() error {
			w.reset(engines)
			reading := nodes - 1 // from the moment in which the Update returns
			var threads []func() error
			for r := range nodes {
				threads = append(threads, func() error {
					e := engines[r]
					e.updates, e.open = 1, true // an Update has returned
					if r == 0 {
						if err := e.Acquire(nil, []syncvar.ID{0}); err != nil {
							return err
						}
						if reading > 0 {
							return fmt.Errorf("rank 0 may write, but %d ranks read what the Update has brought", reading)
						}
						return e.Release(nil, []syncvar.ID{0}, nil)
					}
					delay.Here()
					reading--
					return e.called()
				})
			}
			return threads
		})
		if err != nil {
			t.Errorf("%d ranks: %v", nodes, err)
		}
		t.Logf("%d ranks: %d schedules", nodes, schedules)
	}
}

// TestExploreFailure: a rank ends in its tenure, and its network fails the run. All ranks that wait
// return an error that names the variable and its holder.
func TestExploreFailure(t *testing.T) {
	gone := errors.New("rank 0 is gone")
	w := newWorld(3)
	engines, err := w.engines(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	waits := func(rank int, t tenured) func() error {
		return func() error {
			e := engines[rank]
			err := e.Acquire(t.shared, t.exclusive)
			if err == nil {
				err = e.Release(t.shared, t.exclusive, nil)
			}
			if err == nil {
				return nil
			}
			named := !strings.Contains(err.Error(), "waiting") || strings.Contains(err.Error(), `waiting for "v0", which rank`)
			if !errors.Is(err, gone) || !named {
				return fmt.Errorf("error %w, want one that names the variable, its holder and the cause", err)
			}
			return nil
		}
	}
	schedules, err := delay.Explore(3, func() []func() error {
		w.reset(engines)
		return []func() error{
			func() error {
				if err := engines[0].Acquire(nil, []syncvar.ID{0}); err != nil {
					return err
				}
				w.kill(gone)
				return nil
			},
			waits(1, reads(0)),
			waits(2, writes(0)),
		}
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d schedules", schedules)
}
