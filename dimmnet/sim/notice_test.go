package sim_test

import (
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/dimmnet/sim/presets"
)

// TestNoticesPassTheEthernet: a single notice takes 75 us, including its send. Many notices to
// one host queue at its cable, 6.72 us each.
func TestNoticesPassTheEthernet(t *testing.T) {
	for _, senders := range []int{1, 2, 20} {
		var last dimmnet.Time
		play(t, sim.Config{HostCost: presets.HostCostOff}, senders+1, func(h dimmnet.Host) error {
			if h.Port().Rank() > 0 {
				h.Notify(0)
				return nil
			}
			for h.Notices() < uint64(senders) {
				if err := h.Notice().Wait(); err != nil {
					return err
				}
			}
			last = h.Now()
			return nil
		})
		if want := 75*dimmnet.Microsecond + dimmnet.Time(senders-1)*6720*ns; last != want {
			t.Errorf("the last of %d notices came at %v, want %v", senders, last, want)
		}
	}
}
