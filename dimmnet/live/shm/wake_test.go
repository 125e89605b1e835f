//go:build linux

package shm

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// newTestRun returns a run whose ranks are all in this process, and a port of each rank. The test
// calls the ports itself: there are no bodies.
func newTestRun(t *testing.T, nodes int) (*run, []*port) {
	t.Helper()
	cfg, err := Config{LLCM: 4 * pageBytes, Heap: pageBytes}.withDefaults(nodes)
	if err != nil {
		t.Fatal(err)
	}
	segments := make([]*segment, nodes)
	own := make([]dimmnet.Rank, nodes)
	for rank := range segments {
		if segments[rank], err = newLocal(&cfg); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(segments[rank].unmapLocal)
		own[rank] = dimmnet.Rank(rank)
	}
	return newRun(cfg, segments, own)
}

// TestWakeAfterLanding checks that every kind of post wakes the ranks at which it lands, and only
// when its bytes and its completion are in place.
func TestWakeAfterLanding(t *testing.T) {
	const from, to, done = 0, pageBytes, 2 * pageBytes
	for _, c := range []struct {
		name  string
		woken dimmnet.Rank // the rank that sleeps
		post  func(p *port, page []byte) bool
		last  dimmnet.Offset // the last word that lands there
	}{
		{"Store", 1, func(p *port, page []byte) bool { return p.Store(1, to, uint64(page[0]), word) }, to},
		{"Write", 1, func(p *port, page []byte) bool { return p.Write(1, to, page) }, to + pageBytes - word},
		{"Push, at the peer", 1, func(p *port, _ []byte) bool { return p.Push(1, from, to, pageBytes, done) }, to + pageBytes - word},
		{"Push, at the own rank", 0, func(p *port, _ []byte) bool { return p.Push(1, from, to, pageBytes, done) }, done},
		{"Pull", 0, func(p *port, _ []byte) bool { return p.Pull(1, from, to, pageBytes, done) }, done},
	} {
		r, ports := newTestRun(t, 2)
		page := make([]byte, pageBytes)
		for round := range uint64(100) {
			for i := range page {
				page[i] = byte(1 + round%2)
			}
			for _, s := range r.segments {
				s.LLCM.Write(from, page)
				s.LLCM.Store(done, 0, word)
			}
			before := r.segments[c.woken].LLCM.Load(c.last)
			s := r.segments[c.woken]
			seen := s.wakes.Load()
			s.asleep.Store(1)
			posted := make(chan bool, 1)
			go func() { posted <- c.post(ports[0], page) }()
			for begun := time.Now(); s.wakes.Load() == seen; {
				if time.Since(begun) > 10*time.Second {
					t.Fatalf("%s: rank %d is not woken", c.name, c.woken)
				}
			}
			if s.LLCM.Load(c.last) == before {
				t.Fatalf("%s: rank %d is woken before the last word has landed", c.name, c.woken)
			}
			if !<-posted {
				t.Fatalf("%s: refused", c.name)
			}
		}
	}
}

// TestWakeAll checks that one wake-up ends the sleep of all threads that sleep on a word.
func TestWakeAll(t *testing.T) {
	const threads = 4
	for _, shared := range []bool{false, true} {
		var word atomic.Uint32
		woken := make(chan struct{}, threads)
		for range threads {
			go func() {
				sleepWhile((*uint32)(unsafe.Pointer(&word)), 0, shared, 20*time.Second)
				woken <- struct{}{}
			}()
		}
		time.Sleep(50 * time.Millisecond) // the threads fall asleep; a late one does not
		word.Store(1)
		wakeAll((*uint32)(unsafe.Pointer(&word)), shared)
		for i := range threads {
			select {
			case <-woken:
			case <-time.After(10 * time.Second):
				t.Fatalf("shared %t: %d of %d threads have not been woken", shared, threads-i, threads)
			}
		}
	}
}

// TestFailureWakes checks that a failure reaches every rank: ranks that sleep in Idle, that wait
// for a notice, and that wait for an event of their process.
func TestFailureWakes(t *testing.T) {
	for _, lost := range []bool{false, true} {
		r, ports := newTestRun(t, 3)
		var seen []uint32
		for _, s := range r.segments {
			seen = append(seen, s.wakes.Load())
		}
		e := ports[2].NewEvent().(*event)
		boom := errors.New("boom")
		if lost {
			r.lost(1, boom)
		} else {
			r.leave(ports[1], boom, boom)
		}
		for rank, s := range r.segments {
			if s.wakes.Load() == seen[rank] {
				t.Errorf("lost %t: rank %d is not woken from Idle", lost, rank)
			}
			if !s.notice.take() {
				t.Errorf("lost %t: rank %d is not woken from its wait for a notice", lost, rank)
			}
			if got := s.failed.Load(); got != 1+1 {
				t.Errorf("lost %t: rank %d learns of %d, want 1 plus rank 1", lost, rank, got)
			}
		}
		if !e.flag.take() {
			t.Errorf("lost %t: a thread is not woken from its wait for an event", lost)
		}
	}
}

// TestNotifyCountsFirst checks that a thread woken by a notice finds the notice counted.
func TestNotifyCountsFirst(t *testing.T) {
	r, ports := newTestRun(t, 2)
	s := r.segments[1]
	for i := uint64(1); i <= 500; i++ {
		sent := make(chan struct{})
		go func() {
			ports[0].Notify(1)
			close(sent)
		}()
		for !s.notice.take() {
			yield()
		}
		if got := s.notices.Load(); got != i {
			t.Fatalf("the event is set when %d notices are counted, want %d", got, i)
		}
		<-sent
	}
}

// TestNoWakeWithoutPost checks that a post wakes nobody before its bytes are copied: an invalid
// post panics at the copy, and a post after a failure is refused there.
func TestNoWakeWithoutPost(t *testing.T) {
	const far = 100 * pageBytes // beyond the LLCM
	for name, post := range map[string]func(p *port, off dimmnet.Offset) bool{
		"Store": func(p *port, off dimmnet.Offset) bool { return p.Store(1, off, 1, word) },
		"Write": func(p *port, off dimmnet.Offset) bool { return p.Write(1, off, make([]byte, 16)) },
		"Push":  func(p *port, off dimmnet.Offset) bool { return p.Push(1, 0, off, 16, word) },
		"Pull":  func(p *port, off dimmnet.Offset) bool { return p.Pull(1, 0, off, 16, word) },
	} {
		r, ports := newTestRun(t, 2)
		wakes := func(what string, post func()) {
			var seen []uint32
			for _, s := range r.segments {
				s.asleep.Store(1)
				seen = append(seen, s.wakes.Load())
			}
			post()
			for rank, s := range r.segments {
				if s.wakes.Load() != seen[rank] || s.asleep.Load() == 0 {
					t.Errorf("%s: %s wakes rank %d", name, what, rank)
				}
			}
		}
		wakes("an invalid post", func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s at offset %d does not panic", name, far)
				}
			}()
			post(ports[0], far)
		})
		r.fail(errors.New("boom"))
		wakes("a refused post", func() {
			if post(ports[0], pageBytes) {
				t.Errorf("%s after a failure is not refused", name)
			}
		})
	}
}
