//go:build linux

package tcp_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/tcp"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

func TestPort(t *testing.T) {
	t.Parallel() // the test mostly waits for timeouts
	porttest.Run(t, func() dimmnet.Network { return tcp.New(tcp.Config{}) })
}

// TestPortBulk has bulk memory, and sizes that are not multiples of 8.
func TestPortBulk(t *testing.T) {
	longtest.Third(t)
	t.Parallel()
	porttest.Run(t, func() dimmnet.Network { return tcp.New(tcp.Config{LLCM: 24001, Bulk: 70001, Unsummed: true}) })
}

// TestPortEncrypted runs the suite with TLS.
func TestPortEncrypted(t *testing.T) {
	t.Parallel()
	porttest.Run(t, func() dimmnet.Network { return tcp.New(tcp.Config{LLCM: 24001, Bulk: 70001, Encrypt: true}) })
}

// TestPostThenCompute checks that a post lands although its thread does not call the port again.
func TestPostThenCompute(t *testing.T) {
	landed := make(chan struct{})
	err := tcp.New(tcp.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 0 {
			p.Store(1, 0, 1, 8)
			<-landed
			return nil
		}
		_, err := meshtest.Await(p, 1)
		close(landed)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPeerComputes(t *testing.T) {
	for _, encrypt := range []bool{false, true} {
		t.Run(fmt.Sprintf("encrypt=%t", encrypt), func(t *testing.T) {
			meshtest.PeerComputes(t, tcp.New(tcp.Config{Encrypt: encrypt}), 1<<15)
		})
	}
}

func TestManyPeers(t *testing.T) { meshtest.ManyPeers(t, tcp.New(tcp.Config{})) }

// TestPatience checks that a run ends in which nothing arrives any more, and that the error names
// the rank that waits.
func TestPatience(t *testing.T) {
	for name, wait := range map[string]func(dimmnet.Host) error{
		"Idle": func(h dimmnet.Host) error {
			return dimmnet.Drive(h.Port(), meshtest.Still{}, func() bool { return false })
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
			t.Errorf("%s: Run returned %v, want that rank 1 has waited", name, err)
		}
	}
}
