package inproc

import (
	"runtime"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestNotifyCountsFirst checks that a notice is counted before its event is set. The test holds the
// lock of the run, so that no event can be set.
func TestNotifyCountsFirst(t *testing.T) {
	cfg, err := Config{}.withDefaults(2)
	if err != nil {
		t.Fatal(err)
	}
	r, ports := newRun(cfg, 2)
	sent := make(chan struct{})
	r.Mu.Lock()
	go func() {
		ports[0].Notify(1)
		close(sent)
	}()
	for begun := time.Now(); ports[1].Notices() == 0 && time.Since(begun) < 10*time.Second; {
		runtime.Gosched()
	}
	counted := ports[1].Notices()
	r.Mu.Unlock()
	<-sent
	if counted != 1 {
		t.Errorf("%d notices are counted before the event is set, want 1", counted)
	}
	if err := ports[1].Notice().Wait(); err != nil {
		t.Error(err)
	}
}

// TestWakeAfterLanding checks that every kind of post counts its arrivals after its bytes are in
// place. The test holds the lock of the run, so that a poster stops where it wakes a sleeper.
func TestWakeAfterLanding(t *testing.T) {
	const from, to, done = 0, 4096, 8192
	page := make([]byte, 4096)
	for i := range page {
		page[i] = 7
	}
	for _, c := range []struct {
		name  string
		woken dimmnet.Rank // the rank that sleeps
		post  func(p *port) bool
		last  dimmnet.Offset // the last word that lands there
	}{
		{"Store", 1, func(p *port) bool { return p.Store(1, to, 7, word) }, to},
		{"Write", 1, func(p *port) bool { return p.Write(1, to, page) }, to + 4096 - word},
		{"Push, at the peer", 1, func(p *port) bool { return p.Push(1, from, to, 4096, done) }, to + 4096 - word},
		{"Push, at the own rank", 0, func(p *port) bool { return p.Push(1, from, to, 4096, done) }, done},
		{"Pull", 0, func(p *port) bool { return p.Pull(1, from, to, 4096, done) }, done},
	} {
		cfg, err := Config{}.withDefaults(2)
		if err != nil {
			t.Fatal(err)
		}
		r, ports := newRun(cfg, 2)
		for i := range r.nodes {
			r.nodes[i].LLCM.Write(from, page)
		}
		n := &r.nodes[c.woken]
		n.asleep.Store(true)
		posted := make(chan bool, 1)
		r.Mu.Lock()
		go func() { posted <- c.post(ports[0]) }()
		for begun := time.Now(); n.arrivals.Load() == 0 && time.Since(begun) < 10*time.Second; {
			runtime.Gosched()
		}
		arrived, landed := n.arrivals.Load(), n.LLCM.Load(c.last)
		r.Mu.Unlock()
		if arrived == 0 || landed == 0 {
			t.Errorf("%s: rank %d has counted %d arrivals, and its last word is %#x: want 1, and not 0", c.name, c.woken, arrived, landed)
		}
		if !<-posted {
			t.Errorf("%s: refused", c.name)
		}
		if n.asleep.Load() {
			t.Errorf("%s: rank %d is not woken", c.name, c.woken)
		}
	}
}
