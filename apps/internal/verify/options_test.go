package verify_test

import (
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/apps/internal/apptest"
	"github.com/fagus-dsm/fagus/apps/internal/verify"
	"github.com/fagus-dsm/fagus/fagus"
)

// TestOptions checks that only the owner of the last item plants an error, and only if Spoil is
// set, and that only rank 0 reports common progress.
func TestOptions(t *testing.T) {
	for _, spoil := range []bool{false, true} {
		for nodes := 1; nodes <= 4; nodes++ {
			units := 0
			planted := apptest.Run(t, fagus.Config{Nodes: nodes}, "options", func(n *fagus.Node) (planted bool, err error) {
				o := verify.Options{Spoil: spoil}
				if n.Rank() == 0 {
					o.Progress = func(n int) { units += n }
				}
				o.AdvanceTogether(n, 2)
				o.PlantLast(n, 3, func() { planted = true })
				return planted, nil
			})
			want := make([]bool, nodes)
			want[min(nodes, 3)-1] = spoil
			if !slices.Equal(planted, want) || units != 2 {
				t.Errorf("%d nodes, spoil %v: planted %v, want %v; %d units, want 2", nodes, spoil, planted, want, units)
			}
		}
	}
}
