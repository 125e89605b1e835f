package fagus_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/consistency/history"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/mesh"
	"github.com/fagus-dsm/fagus/dimmnet/live/ofi"
	"github.com/fagus-dsm/fagus/fagus"
)

// fabric returns a network over libfabric and its name, if this test is built with -tags ofi. The
// seed chooses the provider, and whether there is bulk memory.
func fabric(seed uint64) (name string, net dimmnet.Network, ok bool) {
	if ofi.Supported() != nil {
		return "", nil, false
	}
	const most = 3 // the others are slow
	cfg := ofi.Config{Provider: ofi.Software()[seed%most], Mesh: mesh.Config{Bulk: int(seed / most % 2 << 20)}}
	return "ofi, " + cfg.Provider, ofi.New(cfg), true
}

// TestFabrics: random programs satisfy the axioms of entry consistency over each provider of
// libfabric, in all modes, on up to 8 ranks.
func TestFabrics(t *testing.T) {
	if err := ofi.Supported(); err != nil {
		t.Skip(err)
	}
	methods := detections(t)
	for seed := range cases(60, 4) {
		for mode, cfg := range engines() {
			name, net, _ := fabric(seed)
			o := newOracle(seed)
			cfg.Nodes, cfg.Net, cfg.History, cfg.WriteDetection = 1+int(seed%8), net, history.New(), methods[seed%uint64(len(methods))]
			cfg.Placement = []fagus.Placement{fagus.PlaceAuto, fagus.PlacePrivate}[seed%2]
			if _, err := runFor(t, cfg, o.program(seed)); err != nil {
				t.Fatalf("%s, %s, seed %d: %v", name, mode, seed, err)
			}
			if bad := cfg.History.Check(); bad != nil {
				t.Fatalf("%s, %s, seed %d: %v", name, mode, seed, bad)
			}
		}
	}
	_, net, _ := fabric(0)
	_, err := runFor(t, fagus.Config{Nodes: 2, Net: net, Placement: fagus.PlaceShared}, func(*fagus.Node) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "cannot share memory") {
		t.Errorf("one copy for all ranks: %v, want an error", err)
	}
}
