package phase_test

import (
	"fmt"
	"testing"

	"github.com/fagus-dsm/fagus/consistency"
	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim"
	"github.com/fagus-dsm/fagus/phase"
	"github.com/fagus-dsm/fagus/syncvar"
)

// TestLastWait lets ranks arrive at a barrier one by one. Each rank checks the LastWait of the
// ranks that arrived before: LastWait names the first of many missing ranks, or each of few.
func TestLastWait(t *testing.T) {
	const nodes = 12
	net, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	engines := make([]*phase.Engine, nodes)
	err = net.Run(t.Context(), nodes, func(h dimmnet.Host) error {
		p := h.Port()
		own := int(p.Rank())
		e, err := phase.New(p, consistency.NewSpace(), phase.Config{Transfer: phase.Rings})
		if err != nil {
			return err
		}
		engines[own] = e
		h.Spend(dimmnet.Time(own) * dimmnet.Millisecond)
		p.Load(0) // now the other ranks wait
		for _, before := range engines[:own] {
			w := before.LastWait()
			if left := nodes - own; len(w.Ranks) != min(left, syncvar.WaitRanks) || left <= syncvar.WaitRanks && (w.More != 0 || w.Ranks[0] != p.Rank()) || left > syncvar.WaitRanks && w.More == 0 {
				t.Errorf("before rank %d arrives, a rank waits for %v", own, w)
			}
		}
		return e.Call(&syncvar.List{Call: syncvar.Barrier})
	})
	if err != nil {
		t.Fatal(err)
	}
	if w := engines[0].LastWait(); fmt.Sprint(w.Phased, w.Phase) != "true 0" {
		t.Errorf("the last wait was %+v", w)
	}
	if w := engines[0].Waiting(); w.String() != "nothing" || w.Phased {
		t.Errorf("after all ranks have arrived, a rank waits: %+v", w)
	}
}
