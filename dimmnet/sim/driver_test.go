package sim

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/martini"
	"github.com/fagus-dsm/fagus/dimmnet/sim/network"
)

// TestKickPagesAreGivenUp maps one page more than the NIC has, and checks that only the first page
// was remapped.
func TestKickPagesAreGivenUp(t *testing.T) {
	limits := dimmnet.Limits{LLCM: 128 << 10, Bulk: 1 << 20}
	n := driver{Node: new(network.Node)}
	n.openPort(&limits)
	seed := martini.Seed{Owner: portOwner(), Physical: true, Command: martini.CommandStore}
	for key := range uint64(martini.KickPages + 1) {
		if _, err := n.mapKick(key, seed); err != nil {
			t.Fatalf("page %d: %v", key, err)
		}
	}
	if _, ok := n.kicks[0]; ok || len(n.kicks) != martini.KickPages {
		t.Errorf("%d pages are mapped, the oldest is still mapped: %v", len(n.kicks), ok)
	}
	if page := n.kicks[martini.KickPages]; page != 0 {
		t.Errorf("the last destination got page %d, want 0, the page of the first", page)
	}
	if _, hit := n.Chip.Seed(0); hit {
		t.Error("the HTLB still had the header of the remapped page")
	}
}
