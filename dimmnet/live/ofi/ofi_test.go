//go:build ofi && linux && cgo

package ofi_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/meshtest"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/dimmnet/porttest"
	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// each runs a test for each software provider that this host has, in parallel, because they mostly
// wait. From the fourth on they are slow: only long tests try them.
func each(t *testing.T, test func(t *testing.T, provider string)) {
	for i, p := range ofi.Software() {
		t.Run(p, func(t *testing.T) {
			if i >= 3 {
				longtest.Need(t)
			}
			t.Parallel()
			if _, err := ofi.Providers(p); err != nil {
				t.Skip(err)
			}
			test(t, p)
		})
	}
}

func TestPort(t *testing.T) {
	each(t, func(t *testing.T, provider string) {
		porttest.Run(t, func() dimmnet.Network {
			return ofi.New(ofi.Config{Provider: provider, Mesh: mesh.Config{LLCM: 24001, Bulk: 70001}})
		})
	})
}

func TestManyPeers(t *testing.T) {
	each(t, func(t *testing.T, provider string) { meshtest.ManyPeers(t, ofi.New(ofi.Config{Provider: provider})) })
}

func TestPeerComputes(t *testing.T) {
	each(t, func(t *testing.T, provider string) {
		meshtest.PeerComputes(t, ofi.New(ofi.Config{Provider: provider}), 1<<13)
	})
}
