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
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/stream"
)

// startApart runs body on ranks that behave like processes of their own, and returns the channels
// of their results.
func startApart(nodes int, body func(dimmnet.Host) error) (results []chan error) {
	m := meshtest.NewMeeting(nodes)
	for rank := range dimmnet.Rank(nodes) {
		results = append(results, meshtest.Start(Join(Config{}, meshtest.Member{At: m, Self: rank}), nodes, body))
	}
	return results
}

// TestJoin checks that each rank can post to all others, and that ranks whose body has ended serve
// the Pulls of the last one.
func TestJoin(t *testing.T) {
	const nodes = 3
	results := startApart(nodes, func(h dimmnet.Host) error {
		p := h.Port()
		self := p.Rank()
		p.Store(self, 1024, 100+uint64(self), 8)
		for peer := range dimmnet.Rank(nodes) {
			p.Store(peer, dimmnet.Offset(self)*8, 1, 8)
		}
		err := dimmnet.Drive(p, meshtest.Still{}, func() bool { return p.Load(0)+p.Load(8)+p.Load(16) == nodes })
		if err != nil || self != nodes-1 {
			return err
		}
		for peer := range dimmnet.Rank(nodes) {
			p.Pull(peer, 1024, 2048+dimmnet.Offset(peer)*8, 8, 64)
			err := dimmnet.Drive(p, meshtest.Still{}, func() bool { return p.Load(2048+dimmnet.Offset(peer)*8) == 100+uint64(peer) })
			if err != nil {
				return err
			}
		}
		return nil
	})
	for rank, result := range results {
		if err := meshtest.Result(t, result); err != nil {
			t.Errorf("rank %d: Run returned %v, want no error", rank, err)
		}
	}
}

// TestFailureTravels checks that all ranks report which rank has failed, and why.
func TestFailureTravels(t *testing.T) {
	boom := errors.New("boom")
	results := startApart(3, func(h dimmnet.Host) error {
		if h.Port().Rank() == 1 {
			return boom
		}
		return dimmnet.Drive(h.Port(), meshtest.Still{}, func() bool { return false })
	})
	for rank, result := range results {
		err := meshtest.Result(t, result)
		var f *dimmnet.Failed
		switch {
		case rank == 1 && err != boom:
			t.Errorf("rank 1: Run returned %v, want boom", err)
		case rank != 1 && (!errors.As(err, &f) || f.Rank != 1 || f.Why != "boom"):
			t.Errorf("rank %d: Run returned %v, want that rank 1 failed with boom", rank, err)
		}
	}
}

func TestLoss(t *testing.T) {
	meshtest.Loss(t, func(m dimmnet.Member) dimmnet.Network { return Join(Config{}, m) })
}

// TestBrokenConnection checks that a connection that breaks while all ranks wait ends the run at
// once, and that the error names the peer.
func TestBrokenConnection(t *testing.T) {
	for _, body := range []func(dimmnet.Host) error{
		meshtest.Untouched, // waits
		func(dimmnet.Host) error { return nil },
	} {
		v := newVictim(t, body)
		conn := v.join(t)
		time.Sleep(10 * time.Millisecond)
		began := time.Now()
		_ = conn.Close()
		if err := meshtest.Result(t, v.result); err == nil || !strings.Contains(err.Error(), "rank 1 is gone") {
			t.Errorf("Run returned %v", err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("the run ended %v after the connection, want at most 2s", took)
		}
	}
}

// TestAbsentRank checks that a run to which a rank does not connect names that rank.
func TestAbsentRank(t *testing.T) {
	m := meshtest.NewMeeting(2)
	cfg := Config{Joining: 100 * time.Millisecond}
	go func() {
		own := mesh.NewEndpoint(&Config{LLCM: 128 << 10, Stall: 1}, stream.SumAll, []string{"127.0.0.1:1"})
		// Rank 1 passes on its endpoint, and does not connect.
		_, _ = own.Exchange(context.Background(), networkName, meshtest.Member{At: m, Self: 1})
	}()
	network := Join(cfg, meshtest.Member{At: m})
	err := network.Run(t.Context(), 2, func(dimmnet.Host) error { return errors.New("a body ran") })
	if err == nil || !strings.Contains(err.Error(), "rank 1") {
		t.Errorf("Run returned %v", err)
	}
}

// TestNothingOpen checks that a run leaves no open descriptor, however it ends.
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
	run(nil) // opens the descriptors that Go keeps
	before := open()
	for range 10 {
		run(nil)
		run(errors.New("boom"))
		v := newVictim(t, meshtest.Untouched)
		_ = v.dial(t).Close()
		_ = v.join(t).Close()
		_ = meshtest.Result(t, v.result)
	}
	if after := open(); after > before {
		t.Errorf("%d descriptors are open, %d were before", after, before)
	}
}
