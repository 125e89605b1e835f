package quic_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/quic"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
)

func TestPort(t *testing.T) {
	t.Parallel() // the test mostly waits for timeouts
	porttest.Run(t, func() dimmnet.Network { return quic.New(quic.Config{LLCM: 24001, Bulk: 70001}) })
}

func TestPeerComputes(t *testing.T) { meshtest.PeerComputes(t, quic.New(quic.Config{}), 1<<13) }

func TestManyPeers(t *testing.T) { meshtest.ManyPeers(t, quic.New(quic.Config{})) }

// TestWrongConfigs checks that Run rejects configurations that cannot work.
func TestWrongConfigs(t *testing.T) {
	id := meshtest.Issue(t, meshtest.NewAuthority(t, 2), 1)
	for want, cfg := range map[string]quic.Config{
		"out of range":        {Bulk: -1},
		"all ranks are in":    {Identity: id},
		"of bulk memory":      {Bulk: 1 << 32},
		"listening for other": {Listen: "192.0.2.1"},
	} {
		err := quic.New(cfg).Run(t.Context(), 2, func(dimmnet.Host) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: Run returned %v, want an error with %q", cfg, err, want)
		}
	}
}

// TestListen checks that ranks connect wherever they listen, at the first address that works.
func TestListen(t *testing.T) {
	for _, cfg := range []quic.Config{
		{Listen: "localhost"},
		{Listen: "0.0.0.0", Reach: []string{"127.0.0.1"}},
		{Listen: "127.0.0.1", Reach: []string{"no-such-host.invalid", "127.0.0.1"}},
	} {
		err := quic.New(cfg).Run(t.Context(), 3, func(h dimmnet.Host) error { return meshtest.Barrier(h.Port(), 1) })
		if err != nil {
			t.Errorf("%+v: Run returned %v, want no error", cfg, err)
		}
	}
}
