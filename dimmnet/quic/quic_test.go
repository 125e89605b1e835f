package quic_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/quic"
)

func TestPort(t *testing.T) {
	t.Parallel() // it waits for deadlocks to time out, most of the time
	porttest.Run(t, func() dimmnet.Network { return quic.New(quic.Config{LLCM: 24001, Bulk: 70001}) })
}

// TestPeerComputes: posts to a rank that computes are refused when all buffers are full, and
// all land when it waits.
func TestPeerComputes(t *testing.T) {
	const most = 1 << 13 // pages, more than a connection holds
	compute := make(chan struct{})
	page := make([]byte, 4096)
	err := quic.New(quic.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
		p := h.Port()
		if p.Rank() == 1 {
			<-compute
			_, err := await(p, stop)
			return err
		}
		posted := 0
		for tries := 0; tries < 200 && posted < most; tries++ {
			for posted < most && p.Write(1, 4096, page) {
				posted++
			}
			time.Sleep(time.Millisecond) // goroutines take what there is room for
		}
		close(compute)
		if posted == most {
			t.Errorf("%d pages are posted, none refused", posted)
		}
		if err := post(p, func() bool { return p.Write(1, 4096, page) }); err != nil {
			return err
		}
		return signal(p, stop)
	})
	if err != nil {
		t.Error(err)
	}
}

// TestManyPeers: all hear from all, and nobody is overheard.
func TestManyPeers(t *testing.T) {
	const nodes, rounds = 8, 50
	err := quic.New(quic.Config{}).Run(t.Context(), nodes, func(h dimmnet.Host) error {
		for round := uint64(1); round <= rounds; round++ {
			if err := meet(h.Port(), round); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// meet is a barrier: each rank stores the number of the round at each other.
func meet(p dimmnet.Port, round uint64) error {
	for peer := range dimmnet.Rank(p.Nodes()) {
		if err := post(p, func() bool { return p.Store(peer, dimmnet.Offset(p.Rank())*8, round, 8) }); err != nil {
			return err
		}
	}
	return dimmnet.Drive(p, still{}, func() bool {
		for peer := range dimmnet.Offset(p.Nodes()) {
			if p.Load(peer*8) < round {
				return false
			}
		}
		return true
	})
}

// TestWrongConfigs: what cannot be is said before anything is done.
func TestWrongConfigs(t *testing.T) {
	authority, err := identity.NewAuthority(2)
	if err != nil {
		t.Fatal(err)
	}
	id, err := authority.Issue(1)
	if err != nil {
		t.Fatal(err)
	}
	for want, cfg := range map[string]quic.Config{
		"out of range":        {Bulk: -1},
		"all ranks are in":    {Identity: id},
		"memory a node":       {Bulk: 1 << 32},
		"listening for other": {Listen: "192.0.2.1"},
	} {
		err := quic.New(cfg).Run(t.Context(), 2, func(dimmnet.Host) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: Run returned %v", cfg, err)
		}
	}
}

// TestListen: ranks reach each other wherever they listen, by the address that works.
func TestListen(t *testing.T) {
	for _, cfg := range []quic.Config{
		{Listen: "localhost"},
		{Listen: "0.0.0.0", Reach: []string{"127.0.0.1"}},
		{Listen: "127.0.0.1", Reach: []string{"no-such-host.invalid", "127.0.0.1"}},
	} {
		err := quic.New(cfg).Run(t.Context(), 3, func(h dimmnet.Host) error { return meet(h.Port(), 1) })
		if err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}
