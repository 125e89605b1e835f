//go:build linux

package cluster

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestTell checks that one process tells maxTold others why there is no job, that these tell the
// rest, and that their roster shows it at once.
func TestTell(t *testing.T) {
	t.Parallel() // the test mostly waits
	const processes = maxTold + 4
	lo := netip.MustParseAddr("127.0.0.1")
	meet := []netip.AddrPort{netip.AddrPortFrom(lo, freePorts(t, 1))}
	seeking, stop := context.WithCancel(t.Context())
	var all []*Hosts
	defer func() {
		stop()
		for _, h := range all {
			h.gossip.close()
		}
	}()
	for rank := range processes {
		own := newHello(Place{Rank: rank, Size: processes, Job: t.Name()}, rank+1, time.Minute)
		own.Host = "here"
		h := &Hosts{roster: roster{own: own}}
		var err error
		if h.gossip, err = newGossip(announcement{hello: own}, lo, meet, HostsConfig{Log: slog.New(slog.DiscardHandler)}, h.suspect); err != nil {
			t.Fatal(err)
		}
		h.gossip.seek(seeking)
		all = append(all, h)
	}
	until := func(what string, holds func(h *Hosts) bool) {
		t.Helper()
		for rank, h := range all {
			for begun := time.Now(); !holds(h); time.Sleep(time.Millisecond) {
				if time.Since(begun) > 20*time.Second {
					t.Fatalf("rank %d %s", rank, what)
				}
			}
		}
	}
	until("does not see all processes", func(h *Hosts) bool { return len(h.gossip.sightings()) == processes })
	const why = "cluster: rank 3 is wrong\n" // a control character must not reach a terminal
	all[0].gossip.tell(t.Context(), errors.New(why), processes)
	var wait sync.WaitGroup
	heard := func(h *Hosts) bool { return h.gossip.reason() != nil }
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		told := slices.DeleteFunc(slices.Clone(all), func(h *Hosts) bool { return !heard(h) })
		if len(told) >= maxTold {
			for _, h := range told {
				wait.Go(func() { h.gossip.tell(t.Context(), h.updateRoster(), processes) })
			}
			wait.Wait()
			break
		}
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("%d processes have heard why, want at least %d", len(told), maxTold)
		}
	}
	until("has not heard why", heard)
	for rank, h := range all {
		if err := h.updateRoster(); err == nil || err.Error() != strings.TrimSpace(why)+" " {
			t.Errorf("the roster of rank %d: %v, want %q", rank, err, why)
		}
	}
}
