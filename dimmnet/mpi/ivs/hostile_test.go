package ivs_test

import (
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/dimmnet2"
	"github.com/fagus-dsm/fagus/dimmnet/mpi"
	"github.com/fagus-dsm/fagus/dimmnet/mpi/ivs"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
)

// TestHostilePlaces: a place that a peer names and that is not in SO-DIMM is an error of the link, and nothing is written.
func TestHostilePlaces(t *testing.T) {
	for _, to := range []mpi.Destination{{Address: 0xfffffff0, Size: 100_000}, {Address: 1<<32 + 128<<10, Size: 8}, {Address: 0, Size: 8}, {Address: 1 << 20, Size: 0}} {
		w, err := dimmnet2.New(sim.Config{}, dimmnet2.Default())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Run(t.Context(), 2, func(h dimmnet.Host) error {
			link, err := ivs.New(h, ivs.Config{})
			if err != nil {
				return err
			}
			link.Write(1-h.Port().Rank(), []mpi.Destination{to}, make([]byte, to.Size))
			if _, err := link.Step(); err == nil || !strings.Contains(err.Error(), "not in SO-DIMM") {
				t.Errorf("%+v: %v", to, err)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		if c := w.Counts(); c.Commands > 0 {
			t.Errorf("%+v: %d commands", to, c.Commands)
		}
	}
}
