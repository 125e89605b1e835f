package phase

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/inproc"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestLongWaits lets a rank wait at a barrier for more phases than the age of an inline request
// can count, while another rank makes calls.
func TestLongWaits(t *testing.T) {
	const calls = 1<<9 + 100
	for _, first := range []uint64{0, 4095 - 50, 1<<24 - calls/2} {
		err := inproc.New(inproc.Config{}).Run(t.Context(), 2, func(h dimmnet.Host) error {
			e, err := New(h.Port(), consistency.NewSpace(), Config{Live: true, FirstPhase: first})
			if err != nil {
				return err
			}
			if h.Port().Rank() == 1 {
				for range calls {
					if err := e.Call(&syncvar.List{Call: syncvar.Acquire}); err != nil {
						return err
					}
				}
			}
			if err := e.Call(&syncvar.List{Call: syncvar.Barrier}); err != nil {
				return err
			}
			if n := e.Counts().Phases; n != calls+1 {
				return fmt.Errorf("%d phases, want %d", n, calls+1)
			}
			return e.Call(&syncvar.List{Call: syncvar.End})
		})
		if err != nil {
			t.Errorf("from phase %d: %v", first, err)
		}
	}
}
