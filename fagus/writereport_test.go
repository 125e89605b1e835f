package fagus_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/phase"
)

// TestWrote: reported ranges are transferred, in any order of reports and one inside another, and
// other ranges are not. Each tenure starts without reports. The variable is larger than those that
// are copied whole. Locks copy what lies between the ranges, too, so threaded mode has helpers.
func TestWrote(t *testing.T) {
	for name, net := range liveNetworks() {
		for _, mode := range []fagus.Mode{fagus.Phase, fagus.Threaded} {
			cfg := fagus.Config{Nodes: 2, Net: net(), Mode: mode, Placement: fagus.PlacePrivate, Helpers: mode == fagus.Threaded}
			if _, err := fagus.Run(t.Context(), cfg, func(n *fagus.Node) error {
				a, guard, err := guarded[int64](n, 100+phase.WholeBytes/8)
				if err != nil {
					return err
				}
				reports := n.Set(fagus.Want(guard, fagus.Exclusive).Reporting())
				write := func(value int64, reported ...fagus.Range) error {
					return n.During(reports, func() error {
						for i := range a.Slice() {
							a.Slice()[i] = value
						}
						return n.Wrote(reported...)
					})
				}
				if n.Rank() == 0 {
					if err := write(1, a.Range(50, 60), a.Range(52, 54), a.Range(3, 5), a.Range(4, 8)); err != nil {
						return err
					}
					if err := write(2, a.Range(99, 100)); err != nil {
						return err
					}
				}
				if err := n.Barrier(); err != nil || n.Rank() == 0 {
					return err
				}
				want := slices.Concat(make([]int64, 3), slices.Repeat([]int64{2}, 5), make([]int64, 42), slices.Repeat([]int64{2}, 10), make([]int64, 39), []int64{2}, make([]int64, phase.WholeBytes/8))
				return n.During(n.Set(fagus.Want(guard, fagus.Shared)), func() error {
					if !slices.Equal(a.Slice(), want) {
						return fmt.Errorf("%s, %v mode: the array begins with %v, want %v", name, mode, a.Slice()[:110], want[:110])
					}
					return nil
				})
			}); err != nil {
				t.Error(err)
			}
		}
	}
}
