//go:build linux

package tcp

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/stream"
)

// jobApart runs body on ranks that know each other only by a meeting and their
// connections, and returns what their Runs returned, and whom their OnLoss was given.
func jobApart(t *testing.T, nodes int, body func(dimmnet.Host) error) (results []chan error, lost chan func(dimmnet.Rank, error)) {
	t.Helper()
	m := newMeeting(nodes)
	lost = make(chan func(dimmnet.Rank, error), nodes)
	for rank := range nodes {
		result := make(chan error, 1)
		results = append(results, result)
		go func() {
			network := Join(Config{}, apart{at: m, rank: dimmnet.Rank(rank), lost: lost})
			result <- network.Run(context.Background(), nodes, body)
		}()
	}
	return results, lost
}

// TestJoin: each rank tells all others, and those that are through with it early stay
// until the last has pulled from them.
func TestJoin(t *testing.T) {
	const nodes = 3
	results, _ := jobApart(t, nodes, func(h dimmnet.Host) error {
		p := h.Port()
		self := p.Rank()
		p.Store(self, 1024, 100+uint64(self), 8)
		for peer := range dimmnet.Rank(nodes) {
			p.Store(peer, dimmnet.Offset(self)*8, 1, 8)
		}
		err := dimmnet.Drive(p, still{}, func() bool { return p.Load(0)+p.Load(8)+p.Load(16) == nodes })
		if err != nil || self != nodes-1 {
			return err
		}
		for peer := range dimmnet.Rank(nodes) {
			p.Pull(peer, 1024, 2048+dimmnet.Offset(peer)*8, 8, 64)
			err := dimmnet.Drive(p, still{}, func() bool { return p.Load(2048+dimmnet.Offset(peer)*8) == 100+uint64(peer) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	for rank, result := range results {
		if err := within20(t, result); err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestFailureTravels: all others say which rank has failed and why.
func TestFailureTravels(t *testing.T) {
	boom := errors.New("boom")
	results, _ := jobApart(t, 3, func(h dimmnet.Host) error {
		if h.Port().Rank() == 1 {
			return boom
		}
		return dimmnet.Drive(h.Port(), still{}, func() bool { return false })
	})
	for rank, result := range results {
		err := within20(t, result)
		var f *stream.Failed
		switch {
		case rank == 1 && err != boom:
			t.Errorf("rank 1 has failed with boom, Run returned %v", err)
		case rank != 1 && (!errors.As(err, &f) || f.Rank != 1 || f.Why != "boom"):
			t.Errorf("rank %d: Run returned %v", rank, err)
		}
	}
}

// TestLoss: who is told that a rank is gone fails the run, and all others know.
func TestLoss(t *testing.T) {
	results, lost := jobApart(t, 3, func(h dimmnet.Host) error {
		return dimmnet.Drive(h.Port(), still{}, func() bool { return false })
	})
	(<-lost)(2, errors.New("no heartbeat"))
	for rank, result := range results {
		if err := within20(t, result); err == nil || !strings.Contains(err.Error(), "rank 2") || !strings.Contains(err.Error(), "no heartbeat") {
			t.Errorf("rank %d: Run returned %v", rank, err)
		}
	}
}

// TestBrokenConnection: a connection that breaks while all wait ends the run of both at
// once, and the errors name a rank.
func TestBrokenConnection(t *testing.T) {
	for _, body := range []func(dimmnet.Host) error{
		untouched, // waits
		func(dimmnet.Host) error { return nil },
	} {
		v := newVictim(t, body)
		conn := v.join(t)
		time.Sleep(10 * time.Millisecond)
		began := time.Now()
		_ = conn.Close()
		if err := within20(t, v.ended); err == nil || !strings.Contains(err.Error(), "rank 1 is gone") {
			t.Errorf("Run returned %v", err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the run ended %v after the connection", took)
		}
	}
}

// TestAbsentRank: a run to which a rank does not come says which.
func TestAbsentRank(t *testing.T) {
	m := newMeeting(2)
	cfg := Config{Joining: 100 * time.Millisecond}
	go func() {
		own := newCard(&Config{LLCM: 128 << 10, Stall: 1}, []string{"127.0.0.1:1"})
		_, _ = m.gather(context.Background(), 1, own.append(nil)) // and no more
	}()
	network := Join(cfg, apart{at: m})
	err := network.Run(t.Context(), 2, func(dimmnet.Host) error { return errors.New("a body ran") })
	if err == nil || !strings.Contains(err.Error(), "rank 1") {
		t.Errorf("Run returned %v", err)
	}
}

// TestNothingOpen: a run leaves no descriptor behind, however it ends.
func TestNothingOpen(t *testing.T) {
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	run := func(failing error) {
		err := New(Config{}).Run(t.Context(), 3, func(h dimmnet.Host) error {
			if h.Port().Rank() == 1 {
				return failing
			}
			return nil
		})
		if err != failing {
			t.Errorf("Run returned %v, want %v", err, failing)
		}
	}
	run(nil) // opens what Go keeps
	before := open()
	for range 10 {
		run(nil)
		run(errors.New("boom"))
		v := newVictim(t, untouched)
		_ = v.dial(t).Close()
		_ = v.join(t).Close()
		_ = within20(t, v.ended)
	}
	if after := open(); after > before {
		t.Errorf("%d descriptors are open, %d were before", after, before)
	}
}
