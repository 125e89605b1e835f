//go:build ofi && linux && cgo

package ofi

import (
	"context"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
)

// TestDomain: a rank uses the configured NIC, and refuses one that does not exist.
func TestDomain(t *testing.T) {
	const provider = "tcp;ofi_rxm"
	all, err := list(provider, "")
	if err != nil {
		t.Skip(err)
	}
	for _, at := range []string{"", "127.0.0.1"} {
		for _, want := range all {
			cfg := &Config{Provider: provider, Domain: want.Domain}
			node := at
			if got, node, err := nic(cfg, node, 0); got != want.Domain || err != nil {
				t.Errorf("NIC %s at %q: %s, %q, %v", want.Domain, at, got, node, err)
			}
		}
		if got, _, err := nic(&Config{Provider: provider}, at, 3); got == "" || err != nil {
			t.Errorf("at %q: %s, %v", at, got, err)
		}
	}
	n := New(Config{Provider: provider, Domain: "moon0", Mesh: mesh.Config{}})
	err = n.Run(context.Background(), 2, func(dimmnet.Host) error { return nil })
	if err == nil || !strings.Contains(err.Error(), `no NIC "moon0"`) || !strings.Contains(err.Error(), all[0].Domain) {
		t.Errorf("a NIC that is not there: %v", err)
	}
}
