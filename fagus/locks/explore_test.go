//go:build fagusdelay

package locks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
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
	private     bool // the ranks have copies of their own
}

func programs() []explored {
	return []explored{
		{"two writers", -1, 1, 0, [][]tenured{{writes(0)}, {writes(0)}}, false},
		{"two writers that poll", 6, 1, 2, [][]tenured{{writes(0), writes(0)}, {writes(0), writes(0)}}, false},
		{"writer and reader", -1, 1, 0, [][]tenured{{writes(0)}, {reads(0)}}, false},
		{"writer and reader, twice", 6, 1, 1, [][]tenured{{writes(0), reads(0)}, {reads(0), writes(0)}}, false},
		{"three writers", 4, 1, 0, [][]tenured{{writes(0)}, {writes(0)}, {writes(0)}}, false},
		{"writer and two readers", 4, 1, 0, [][]tenured{{writes(0)}, {reads(0)}, {reads(0)}}, false},
		{"reader and two writers", 4, 1, 1, [][]tenured{{reads(0)}, {writes(0)}, {writes(0)}}, false},
		{"readers and a writer that come back", 3, 1, 0, [][]tenured{{reads(0), writes(0)}, {reads(0), reads(0)}, {writes(0), reads(0)}}, false},
		{"four ranks", 2, 1, 0, [][]tenured{{writes(0)}, {reads(0)}, {writes(0)}, {reads(0)}}, false},
		{"sets", 3, 2, 0, [][]tenured{{writes(0, 1)}, {{shared: []syncvar.ID{0}, exclusive: []syncvar.ID{1}}}, {{shared: []syncvar.ID{1}, exclusive: []syncvar.ID{0}}}}, false},
		{"copies of a writer and a reader", 6, 1, 0, [][]tenured{{writes(0), reads(0)}, {reads(0), writes(0)}}, true},
		{"copies of three ranks", 3, 1, 0, [][]tenured{{writes(0), writes(0)}, {reads(0), reads(0)}, {writes(0), reads(0)}}, true},
		{"copies of two variables", 3, 2, 0, [][]tenured{{writes(0, 1), reads(1)}, {{shared: []syncvar.ID{0}, exclusive: []syncvar.ID{1}}, writes(0)}}, true},
	}
}

// start returns a function that returns the threads of p, one for each rank.
func (p *explored) start(t *testing.T) func() []func() error {
	w := newWorld(len(p.ranks))
	w.private = p.private
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

// reset returns the engines of the world to their state at the beginning of a run.
func (w *world) reset(engines []*Engine) {
	for _, b := range slices.Concat(w.blocks, w.memory) {
		clear(b)
	}
	for r, e := range engines {
		e.space = consistency.NewSpace()
		if !w.private {
			e.space.OneCopy()
		}
		vars := len(e.locks)
		if err := w.declare(e.space, r, vars, func(f func() error) error { return f() }); err != nil {
			panic(err)
		}
		w.hosts[r].err.Store(nil)
		for i := range e.known {
			e.known[i].same = false
		}
		clear(e.copies)
		e.counts, e.updates, e.open, e.settled, e.at = Counts{}, 0, false, 0, waiting{}
	}
}

// begin checks that a rank that has just acquired t sees the right data, and writes.
func (d *data) begin(e *Engine, t tenured) error {
	for _, id := range t.shared {
		if err := d.read(e, id); err != nil {
			return err
		}
		d.readers[id]++
		if v := e.Version(id); d.writers[id] > 0 || v != d.version[id] {
			return fmt.Errorf("rank %d reads v%d in version %d, beside %d writers: the last one made version %d", e.rank, id, v, d.writers[id], d.version[id])
		}
	}
	for _, id := range t.exclusive {
		if err := d.read(e, id); err != nil {
			return err
		}
		d.writers[id]++
		if v := e.Version(id); d.writers[id] > 1 || d.readers[id] > 0 || v != d.version[id]+1 || !e.Owns(id) {
			return fmt.Errorf("rank %d (owner: %v) makes version %d of v%d after %d, beside %d writers and %d readers", e.rank, e.Owns(id), v, id, d.version[id], d.writers[id]-1, d.readers[id])
		}
		d.value[id]++
		d.version[id]++
		d.write(e, id)
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
	return e.leave(t)
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

// TestExploreCopiesOfUpdate: where ranks have copies of their own, an Update brings them the data
// that were there when all ranks were in it, even if the owner writes next.
func TestExploreCopiesOfUpdate(t *testing.T) {
	w := newWorld(3)
	w.private = true
	engines, err := w.engines(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	schedules, err := delay.Explore(4, func() []func() error {
		w.reset(engines)
		d, l := newData(1), engines[0].locks[0]
		l.hint = syncvar.Hint{Owner: 0, Version: 1}.Word() // rank 0 has written version 1
		at := engines[0].space.Ranges(0)[0]
		engines[0].changes[0].add(span{1, uint64(at.Lo), uint64(at.Hi)})
		engines[0].cell(0)[1], d.cells[0][1] = 1, 1
		var threads []func() error
		for r, e := range engines {
			e.copies[0] = tenure{had: r < 2}
			threads = append(threads, func() error {
				e.updates, e.open = 1, true // all ranks are in the Update
				if err := e.fetchAll(); err != nil {
					return err
				}
				if r == 0 {
					if err := e.Acquire(nil, []syncvar.ID{0}); err != nil {
						return err
					}
					e.space.BeginWrite(0, nil)
					copy(e.cell(0), "!!!!")
					return e.leave(writes(0))
				}
				if r == 1 {
					return d.read(e, 0)
				}
				if got := e.cell(0)[1]; got != 0 {
					return fmt.Errorf("rank 2 has never had v0, but the Update has copied %d", got)
				}
				return nil
			})
		}
		engines[0].copies[0].version = 1
		return threads
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d schedules", schedules)
}

// TestExploreFailure: a rank returns during its tenure, and its network fails the run. All waiting
// ranks return an error that names the variable and its holder.
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
