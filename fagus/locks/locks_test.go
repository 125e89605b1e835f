package locks

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/syncvar"
)

// group runs functions on goroutines, and collects their errors.
type group struct {
	wg   sync.WaitGroup
	mu   sync.Mutex
	errs []error
}

func (g *group) run(f func() error) {
	g.wg.Go(func() {
		err := f()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.errs = append(g.errs, err)
	})
}

func (g *group) wait() error {
	g.wg.Wait()
	return errors.Join(g.errs...)
}

// until waits until ready is true, for at most ten seconds.
func until(t *testing.T, what string, ready func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ready(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("after 10 s: %s", what)
		}
	}
}

// TestOrder: ranks get a variable in the order of their requests, and readers that follow one
// another get it together, whether they poll or sleep.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		accesses string // of ranks 1, 2 and so on, while rank 0 has the variable: r or w
		want     string // the groups that have it together
	}{
		{"w", "1"}, {"r", "1"}, {"ww", "1,2"}, {"rr", "1+2"}, {"wrrw", "1,2+3,4"}, {"rwrr", "1,2,3+4"}, {"rrrrwwrr", "1+2+3+4,5,6,7+8"},
	} {
		for _, polling := range []int{0, 1 << 30} {
			if polling > 0 && len(c.accesses) > 1 && runtime.NumCPU() < 2 {
				continue
			}
			w := newWorld(1 + len(c.accesses))
			engines, err := w.engines(1, polling)
			if err != nil {
				t.Fatal(err)
			}
			if err := engines[0].Acquire(nil, []syncvar.ID{0}); err != nil {
				t.Fatal(err)
			}
			var g group
			var mu sync.Mutex
			inside, order := []int{}, []string{}
			leave := make([]chan struct{}, len(engines))
			l := engines[0].locks[0]
			for r := 1; r < len(engines); r++ {
				leave[r] = make(chan struct{})
				op := writes(0)
				if c.accesses[r-1] == 'r' {
					op = reads(0)
				}
				g.run(func() error {
					e := engines[r]
					if err := e.Acquire(op.shared, op.exclusive); err != nil {
						return err
					}
					mu.Lock()
					inside = append(inside, r)
					mu.Unlock()
					<-leave[r]
					return e.Release(op.shared, op.exclusive, nil)
				})
				until(t, fmt.Sprintf("rank %d has not joined the queue", r), func() bool { return l.load().last() == uint32(1+r) })
			}
			if err := engines[0].Release(nil, []syncvar.ID{0}, nil); err != nil {
				t.Fatal(err)
			}
			for left := len(c.accesses); left > 0; {
				holders := 0
				until(t, "nobody has the variable", func() bool {
					mu.Lock()
					defer mu.Unlock()
					holders = l.load().holders()
					return holders > 0 && len(inside) == holders
				})
				slices.Sort(inside)
				order = append(order, strings.ReplaceAll(strings.Trim(fmt.Sprint(inside), "[]"), " ", "+"))
				left -= len(inside)
				together := inside
				mu.Lock()
				inside = nil
				mu.Unlock()
				for _, r := range together {
					close(leave[r])
				}
			}
			if err := g.wait(); err != nil {
				t.Error(err)
			}
			if got := strings.Join(order, ","); got != c.want || l.load() != 0 {
				t.Errorf("%s, %d polls: %s have it, want %s; then its word is %#x", c.accesses, polling, got, c.want, uint64(l.load()))
			}
		}
	}
}

// TestRandom: ranks make random tenures of random sets, at different speeds.
func TestRandom(t *testing.T) {
	for seed := range uint64(30) {
		nodes, vars := 2+int(seed%5), 1+int(seed%3)
		w := newWorld(nodes)
		w.private = seed%2 == 1
		engines, err := w.engines(vars, []int{0, 3, 1000}[seed/3%3])
		if err != nil {
			t.Fatal(err)
		}
		d := newData(vars)
		readers, writers := make([]atomic.Int32, vars), make([]atomic.Int32, vars)
		var g group
		for r, e := range engines {
			g.run(func() error {
				random := rand.New(rand.NewPCG(seed, uint64(r)))
				for range 200 {
					var op tenured
					for id := range syncvar.ID(vars) {
						switch random.IntN(3) {
						case 0:
							op.shared = append(op.shared, id)
						case 1:
							op.exclusive = append(op.exclusive, id)
						}
					}
					if err := e.Acquire(op.shared, op.exclusive); err != nil {
						return err
					}
					// Values and cells are plain: the race detector sees the locks.
					for _, id := range slices.Concat(op.shared, op.exclusive) {
						if err := d.read(e, id); err != nil {
							return err
						}
					}
					for _, id := range op.shared {
						readers[id].Add(1)
						if v := e.Version(id); writers[id].Load() > 0 || int(v) != d.value[id] {
							return fmt.Errorf("rank %d reads version %d of v%d, which has value %d and %d writers", r, v, id, d.value[id], writers[id].Load())
						}
					}
					for _, id := range op.exclusive {
						d.write(e, id)
						d.value[id]++
						if w, v := writers[id].Add(1), e.Version(id); w > 1 || readers[id].Load() > 0 || int(v) != d.value[id] {
							return fmt.Errorf("rank %d writes version %d of v%d, which has value %d, %d writers and %d readers", r, v, id, d.value[id], w, readers[id].Load())
						}
					}
					for range random.IntN(4) {
						runtime.Gosched()
					}
					for _, id := range op.shared {
						readers[id].Add(-1)
					}
					for _, id := range op.exclusive {
						writers[id].Add(-1)
					}
					if err := e.leave(op); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := g.wait(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for id, l := range engines[0].locks {
			if l.load() != 0 || l.first != 0 {
				t.Errorf("seed %d: all have released v%d, but its word is %#x", seed, id, uint64(l.load()))
			}
		}
	}
}

// TestWaitsAreSeen: while a rank waits, LastWait names the holder. If the run fails meanwhile, the
// error names the variable and its holder.
func TestWaitsAreSeen(t *testing.T) {
	gone := errors.New("rank 1 is gone")
	for _, c := range []struct {
		name, wait, err string
		holds           []tenured // of ranks 1, 2 and so on
	}{
		{"writer", "a release by ranks [1]", `locks: waiting for "v0", which rank 1 holds: rank 1 is gone`, []tenured{writes(0)}},
		{"readers", "a release by ranks [1] and 1 more", `locks: waiting for "v0", which rank 1 and 1 more hold: rank 1 is gone`, []tenured{reads(0), reads(0)}},
	} {
		w := newWorld(3)
		engines, err := w.engines(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		for r, op := range c.holds {
			if err := engines[1+r].Acquire(op.shared, op.exclusive); err != nil {
				t.Fatal(err)
			}
		}
		var g group
		g.run(func() error { return engines[0].Acquire(nil, []syncvar.ID{0}) })
		until(t, "rank 0 does not wait for "+c.wait, func() bool { return engines[0].LastWait().String() == c.wait })
		if owners := engines[0].LastWait().Owners; !slices.Equal(owners, []syncvar.Holding{{ID: 0, Owner: 1}}) {
			t.Errorf("%s: rank 0 waits for %v", c.name, owners)
		}
		w.kill(gone)
		if err := g.wait(); err == nil || err.Error() != c.err || !errors.Is(err, gone) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.err)
		}
		if err := engines[2].Acquire(nil, nil); !errors.Is(err, gone) {
			t.Errorf("%s: a later Acquire returns %v, want %v", c.name, err, gone)
		}
	}
}

// TestUpdateIsReadable: after an Update, a rank that wants to write waits until the others make a
// call. A rank that wants to read does not wait.
func TestUpdateIsReadable(t *testing.T) {
	engines, err := newWorld(2).engines(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for round := range uint64(3) {
		for _, e := range engines {
			e.updates, e.open = 1+round, true // as in Meet
		}
		if err := errors.Join(engines[0].Acquire([]syncvar.ID{0}, nil), engines[0].Release([]syncvar.ID{0}, nil, nil)); err != nil {
			t.Fatal(err)
		}
		var g group
		g.run(func() error {
			return errors.Join(engines[0].Acquire(nil, []syncvar.ID{0}), engines[0].Release(nil, []syncvar.ID{0}, nil))
		})
		const want = "the first call after an Update of ranks [1]"
		until(t, "rank 0 does not wait for "+want, func() bool { return engines[0].LastWait().String() == want })
		if err := engines[1].Acquire(nil, nil); err != nil {
			t.Fatal(err)
		}
		if err := g.wait(); err != nil {
			t.Error(err)
		}
		if n := engines[0].common.watchers.Load(); n != 0 {
			t.Errorf("round %d: %d ranks count as waiting", round, n)
		}
	}
}

// TestDamagedMemory: ranks and counts that no rank writes give errors.
func TestDamagedMemory(t *testing.T) {
	for want, damage := range map[string]func(engines []*Engine, l *lock){
		"which no rank of 3 writes":        func(_ []*Engine, l *lock) { l.state.Store(uint64(held(7, 1, syncvar.Exclusive))) },
		"its queue names rank 8":           func(e []*Engine, l *lock) { e[1].own.next = 9; l.state.Store(uint64(held(0, 1, 2).withLast(2))) },
		"its queue names rank 1 behind 3":  func(e []*Engine, l *lock) { e[1].own.next = 2; l.state.Store(uint64(held(0, 1, 2).withLast(2))) },
		"its queue names rank 98 behind 0": func(_ []*Engine, l *lock) { l.first = 99; l.state.Store(uint64(held(0, 1, 2) | more)) },
		"but its queue is empty":           func(_ []*Engine, l *lock) { l.state.Store(uint64(held(0, 1, 2) | more)) },
		"no rank holds it":                 func(_ []*Engine, l *lock) { l.state.Store(0) },
		"rank 1 holds it":                  func(_ []*Engine, l *lock) { l.state.Store(uint64(held(1, 1, syncvar.Exclusive))) },
	} {
		engines, err := newWorld(3).engines(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		e := engines[0]
		l := e.locks[0]
		if strings.Contains(want, "no rank of") {
			damage(engines, l)
			err = e.Acquire(nil, []syncvar.ID{0})
		} else {
			if err := e.Acquire(nil, []syncvar.ID{0}); err != nil {
				t.Fatal(err)
			}
			damage(engines, l)
			err = e.Release(nil, []syncvar.ID{0}, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestOwnerOfNoRank: a lock whose owner is not a valid rank gives an error.
func TestOwnerOfNoRank(t *testing.T) {
	for _, owner := range []dimmnet.Rank{2, 1 << 12} {
		w := newWorld(2)
		w.private = true
		engines, err := w.engines(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range engines {
			e.space.Detect(consistency.DetectTwin, nil, 1<<20)
		}
		first, second := engines[0], engines[1]
		if err := first.Acquire(nil, []syncvar.ID{0}); err != nil {
			t.Fatal(err)
		}
		newData(1).write(first, 0)
		if err := first.leave(writes(0)); err != nil {
			t.Fatal(err)
		}
		l := second.locks[0]
		l.hint = syncvar.Hint{Owner: owner, Version: syncvar.HintOf(l.hint).Version}.Word()
		want := fmt.Sprintf("its owner is rank %d, in a run of 2 nodes", owner)
		if err := second.Acquire(nil, []syncvar.ID{0}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestCopies: a rank copies only the changed ranges, if its copy lacks no more than five changes,
// and nothing if nothing has changed.
func TestCopies(t *testing.T) {
	for _, by := range []consistency.Detection{consistency.DetectTwin, consistency.DetectKept} {
		t.Run(by.String(), func(t *testing.T) { copies(t, by) })
	}
}

func copies(t *testing.T, by consistency.Detection) {
	w := newWorld(2)
	w.private = true
	engines, err := w.engines(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engines {
		e.space.Detect(by, nil, 1<<20)
	}
	d := newData(1)
	// turn is a tenure of a rank. It returns how many bytes the rank has copied.
	turn := func(rank int, write bool) uint64 {
		t.Helper()
		e, op := engines[rank], reads(0)
		if write {
			op = writes(0)
		}
		before := e.Counts()
		err := e.Acquire(op.shared, op.exclusive)
		if err == nil {
			err = d.read(e, 0)
		}
		if err == nil && write {
			d.write(e, 0)
		}
		if err := errors.Join(err, e.leave(op)); err != nil {
			t.Fatal(err)
		}
		after := e.Counts()
		fetched, copied := after.Fetched-before.Fetched, after.Copied-before.Copied
		if copied > 1 || copied == 0 != (fetched == 0) {
			t.Errorf("rank %d has copied %d bytes of %d variables", rank, fetched, copied)
		}
		return fetched
	}
	for i, c := range []struct {
		writes  int // tenures of rank 0 that write; every third one changes nothing
		fetched uint64
	}{{0, 0}, {1, wordBytes}, {2, wordBytes}, {2, 2 * wordBytes}, {1, 0}, {8, cellBytes}, {6, 4 * wordBytes}} {
		for range c.writes {
			turn(0, true)
		}
		if n := turn(1, false); n != c.fetched {
			t.Errorf("case %d: after %d tenures the reader has copied %d bytes, want %d", i, c.writes, n, c.fetched)
		}
	}
	turn(1, true) // changes nothing
	turn(1, true)
	turn(0, true)
	if n := turn(1, false); n != wordBytes {
		t.Errorf("rank 0 has copied a word and changed another one: rank 1 copies %d bytes, want %d", n, wordBytes)
	}
	engines[1].locks[0].hint = syncvar.Hint{Owner: 7, Version: 99}.Word()
	engines[1].changes[0].dropped = 99
	if err := engines[0].Acquire([]syncvar.ID{0}, nil); err == nil || !strings.Contains(err.Error(), "its owner is rank 7, in a run of 2 nodes") {
		t.Errorf("an owner that does not exist: error %v", err)
	}
}

// TestChanges: the ranges that a record of changes names for a copy hold all that the copy lacks,
// in order. They hold more only where the record has forgotten changes.
func TestChanges(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		c, model := new(changes), [40]uint64{} // model: the last tenure that changed each byte
		for tenure := uint64(1); tenure < 20; tenure++ {
			var written []consistency.Range
			for lo := rng.IntN(8); lo < len(model); lo += 1 + rng.IntN(16) {
				hi := min(len(model), lo+1+rng.IntN(4))
				written = appendRange(written, consistency.Range{Lo: consistency.Addr(lo), Hi: consistency.Addr(hi)}, len(c.last))
				for ; lo < hi; lo++ {
					model[lo] = tenure
				}
			}
			for _, r := range written {
				c.add(span{tenure, uint64(r.Lo), uint64(r.Hi)})
			}
			for have := range tenure {
				var named [len(model)]bool
				end := consistency.Addr(0)
				for i, r := range c.since(nil, have) {
					if r.Lo >= r.Hi || i > 0 && r.Lo <= end {
						t.Fatalf("seed %d: range %v follows address %d", seed, r, end)
					}
					end = r.Hi
					for at := r.Lo; at < min(end, consistency.Addr(len(model))); at++ {
						named[at] = true
					}
				}
				for at, changed := range model {
					if changed > have && !named[at] {
						t.Fatalf("seed %d: tenure %d has changed byte %d, which a copy of tenure %d does not get from %+v", seed, changed, at, have, *c)
					}
				}
			}
		}
	}
	as := []consistency.Range{{Lo: 0, Hi: 10}, {Lo: 50, Hi: 60}, {Lo: 64, Hi: 70}, {Lo: 90, Hi: 99}}
	if ranges := appendRange(slices.Clone(as[:3]), as[3], 4); !slices.Equal(ranges, as) {
		t.Errorf("as many ranges as may be become %v, want %v", ranges, as)
	}
	ranges := appendRange([]consistency.Range{{Lo: 0, Hi: 10}, {Lo: 50, Hi: 60}, {Lo: 64, Hi: 70}}, consistency.Range{Lo: 90, Hi: 99}, 3)
	if want := []consistency.Range{{Lo: 0, Hi: 10}, {Lo: 50, Hi: 70}, {Lo: 90, Hi: 99}}; !slices.Equal(ranges, want) {
		t.Errorf("joined ranges are %v, want %v", ranges, want)
	}
	c := new(changes)
	for tenure := range uint64(9) {
		c.add(span{tenure + 1, 10, 20}) // covers the last one
	}
	if news, want := c.since(nil, 3), []consistency.Range{{Lo: 10, Hi: 20}}; !slices.Equal(news, want) {
		t.Errorf("after 9 changes of the same bytes, a copy of the third gets %v, want %v", news, want)
	}
}

// TestManyVariables: every variable has its own record, at the same place on all ranks.
func TestManyVariables(t *testing.T) {
	const vars = 1000
	engines, err := newWorld(2).engines(vars, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[*lock]bool)
	for id := range vars {
		l := engines[0].locks[id]
		if l != engines[1].locks[id] || seen[l] {
			t.Fatalf("the record of variable %d is at %p and %p", id, l, engines[1].locks[id])
		}
		seen[l] = true
	}
}

// TestDifferentDeclarations: of ranks with different declarations, the second one to acquire a
// variable gets an error.
func TestDifferentDeclarations(t *testing.T) {
	engines, err := newWorld(2).engines(2, 0)
	if err != nil {
		t.Fatal(err)
	}
	engines[1].known[1].digest++
	both := []syncvar.ID{0, 1}
	if err := errors.Join(engines[0].Acquire(nil, both), engines[0].Release(nil, both, nil)); err != nil {
		t.Fatal(err)
	}
	const want = "ranks 0 and 1 declared different things"
	if err := engines[1].Acquire(nil, both); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"v1"`) {
		t.Errorf("error %v, want one with %q about v1", err, want)
	}
}

// TestCounts counts acquisitions and waits.
func TestCounts(t *testing.T) {
	engines, err := newWorld(2).engines(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := engines[0].Acquire(nil, []syncvar.ID{0}); err != nil {
		t.Fatal(err)
	}
	var g group
	g.run(func() error { return engines[1].Acquire(nil, []syncvar.ID{0}) })
	until(t, "rank 1 does not wait", func() bool { return len(engines[1].LastWait().Ranks) > 0 })
	if err := errors.Join(engines[0].Release(nil, []syncvar.ID{0}, nil), g.wait()); err != nil {
		t.Fatal(err)
	}
	if a, b := engines[0].Counts(), engines[1].Counts(); a != (Counts{Acquired: 1}) || b != (Counts{Acquired: 1, Waited: 1}) {
		t.Errorf("counts %+v and %+v", a, b)
	}
	if engines[0].Owns(0) || !engines[1].Owns(0) {
		t.Error("the last exclusive holder is not the owner")
	}
}

var _ dimmnet.Sharer = (*host)(nil)
