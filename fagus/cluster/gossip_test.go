//go:build linux

package cluster

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestSuccessors checks that each process tells maxTold others, and that all hear what one finds.
func TestSuccessors(t *testing.T) {
	const processes = 3*maxTold + 1
	g := &gossip{seen: map[string]sighting{}}
	name := func(i int) string { return fmt.Sprintf("rank %d", i) }
	for i := range processes {
		g.seen[name(i)] = sighting{name: name(i)}
	}
	heard := map[string]bool{name(5): true}
	for next := []string{name(5)}; len(next) > 0; next = next[1:] {
		told := g.successors(next[0])
		if len(told) != maxTold {
			t.Errorf("%s tells %d processes, want %d", next[0], len(told), maxTold)
		}
		for _, s := range told {
			if s.name == next[0] {
				t.Errorf("%s tells itself", next[0])
			}
			if !heard[s.name] {
				heard[s.name] = true
				next = append(next, s.name)
			}
		}
	}
	if len(heard) != processes {
		t.Errorf("%d of %d processes hear of it", len(heard), processes)
	}
	delete(g.seen, name(0)) // a process that seems to be gone, as its own process may
	for i := range processes - maxTold {
		delete(g.seen, name(i))
	}
	if told := g.successors(name(0)); len(told) != maxTold {
		t.Errorf("of %d other processes, %d are told", maxTold, len(told))
	}
}

// TestTell checks that the others hear from one process why there is no job, and that their roster
// shows it at once.
func TestTell(t *testing.T) {
	t.Parallel() // the test mostly waits
	const processes = 3
	lo := netip.MustParseAddr("127.0.0.1")
	const why = "cluster: rank 3 is wrong\n" // a control character must not reach a terminal
	var first netip.AddrPort
	var all sync.WaitGroup
	for rank := range processes {
		own := newHello(Place{Rank: rank, Size: processes, Job: t.Name()}, rank+1, time.Minute)
		own.Host = "here"
		h := &Hosts{roster: roster{own: own}}
		var err error
		if h.gossip, err = newGossip(announcement{hello: own}, lo, nil, Spec{Drivers: AllDrivers(), Log: slog.New(slog.DiscardHandler)}, h.suspect); err != nil {
			t.Fatal(err)
		}
		defer h.gossip.close()
		if rank == 0 {
			first = h.gossip.own
		} else if err := h.gossip.list.Join([]string{first.String()}); err != nil {
			t.Fatal(err)
		}
		if rank == processes-1 { // it has met the first process, and heard of the other
			all.Go(func() { h.gossip.tell(t.Context(), errors.New(why), processes) })
			continue
		}
		all.Go(func() {
			for begun := time.Now(); h.gossip.reason() == nil; time.Sleep(time.Millisecond) {
				if time.Since(begun) > 20*time.Second {
					t.Errorf("rank %d has not heard why", rank)
					return
				}
			}
			if err := h.updateRoster(); err == nil || err.Error() != strings.TrimSpace(why)+" " {
				t.Errorf("the roster of rank %d: %v, want %q", rank, err, why)
			}
		})
	}
	all.Wait()
}
