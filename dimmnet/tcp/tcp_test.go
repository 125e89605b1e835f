//go:build linux

package tcp_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/tcp"
)

func TestPort(t *testing.T) {
	t.Parallel() // it waits for deadlocks to time out, most of the time
	porttest.Run(t, func() dimmnet.Network { return tcp.New(tcp.Config{}) })
}

// TestPortBulk has bulk memory, and other sizes.
func TestPortBulk(t *testing.T) {
	t.Parallel()
	porttest.Run(t, func() dimmnet.Network { return tcp.New(tcp.Config{LLCM: 24001, Bulk: 70001, Unsummed: true}) })
}

// TestPortEncrypted has TLS over its connections.
func TestPortEncrypted(t *testing.T) {
	t.Parallel()
	porttest.Run(t, func() dimmnet.Network { return tcp.New(tcp.Config{LLCM: 24001, Bulk: 70001, Encrypt: true}) })
}

// TestPostThenCompute: what a thread has posted lands, though it calls its port no more.
func TestPostThenCompute(t *testing.T) {
	landed := make(chan struct{})
	err := tcp.New(tcp.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 0 {
			p.Store(1, 0, 1, 8)
			<-landed
			return nil
		}
		w := &turn{port: p}
		err := w.await(1)
		close(landed)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPeerComputes: posts to a rank that computes are refused when the connection and the
// buffer are full, and all land when it waits.
func TestPeerComputes(t *testing.T) {
	for _, encrypt := range []bool{false, true} {
		t.Run(fmt.Sprintf("encrypt=%t", encrypt), func(t *testing.T) { peerComputes(t, tcp.Config{Encrypt: encrypt}) })
	}
}

func peerComputes(t *testing.T, cfg tcp.Config) {
	const most = 1 << 15 // pages, more than a connection holds
	compute := make(chan struct{})
	page := make([]byte, 4096)
	err := tcp.New(cfg).Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 1 {
			<-compute
			w := &turn{port: p}
			return w.await(stop)
		}
		posted := 0
		for posted < most && p.Write(1, 4096, page) {
			posted++
		}
		close(compute)
		if posted == most {
			t.Errorf("%d pages are posted, none refused", posted)
		}
		return postAll(p, 2, func(i int) bool {
			if i == 0 {
				return p.Write(1, 4096, page)
			}
			return p.Store(1, 0, stop, 8)
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// TestManyPeers: with more connections than are read one by one, all hear from all.
func TestManyPeers(t *testing.T) {
	const nodes, rounds = 8, 50
	err := tcp.New(tcp.Config{}).Run(t.Context(), nodes, func(h dimmnet.Host) error {
		p := h.Port()
		heard := func(round uint64) func() bool {
			return func() bool {
				for peer := range dimmnet.Offset(nodes) {
					if p.Load(peer*8) < round {
						return false
					}
				}
				return true
			}
		}
		for round := uint64(1); round <= rounds; round++ {
			err := postAll(p, nodes, func(peer int) bool {
				return p.Store(dimmnet.Rank(peer), dimmnet.Offset(p.Rank())*8, round, 8)
			})
			if err != nil {
				return err
			}
			if err := dimmnet.Drive(p, still{}, heard(round)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPatience: a run in which nothing comes any more ends, and says for whom.
func TestPatience(t *testing.T) {
	for name, wait := range map[string]func(dimmnet.Host) error{
		"Idle": func(h dimmnet.Host) error {
			return dimmnet.Drive(h.Port(), still{}, func() bool { return false })
		},
		"Wait": func(h dimmnet.Host) error { return h.NewEvent().Wait() },
		"end":  func(dimmnet.Host) error { return nil },
	} {
		release := make(chan struct{})
		network := tcp.New(tcp.Config{Patience: 30 * time.Millisecond})
		err := network.Run(t.Context(), 2, func(h dimmnet.Host) error {
			if h.Port().Rank() == 1 {
				defer close(release)
				return wait(h)
			}
			for h.Port().Err() == nil { // computes
				h.Port().Load(0)
				runtime.Gosched()
			}
			return h.Port().Err()
		})
		<-release
		if err == nil || !strings.Contains(err.Error(), "rank 1") || !strings.Contains(err.Error(), "waited") {
			t.Errorf("%s: Run returned %v", name, err)
		}
	}
}
