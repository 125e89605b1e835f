package verify

import (
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// Options are the settings that programs share. Their configurations embed Options.
type Options struct {
	// Progress, if not nil, is called with the number of units of work just finished. The
	// configuration says what a unit is, and which ranks report.
	Progress func(units int)
	// Spoil plants an error in the data that the program's verification examines, to show that
	// verification finds it.
	Spoil bool
}

// Advance reports finished units to Progress.
func (o *Options) Advance(units int) {
	if o.Progress != nil {
		o.Progress(units)
	}
}

// AdvanceTogether reports units that all ranks finish together. Only rank 0 reports them.
func (o *Options) AdvanceTogether(n *fagus.Node, units int) {
	if n.Rank() == 0 {
		o.Advance(units)
	}
}

// Left returns the share of equal steps that a run from n.Begun on makes: 1 unless it has resumed.
func Left(n *fagus.Node, steps int) float64 { return float64(steps-n.Begun()) / float64(steps) }

// Plant calls plant if Spoil is set. plant must make an error in the data that verification
// examines.
func (o *Options) Plant(plant func()) {
	if o.Spoil {
		plant()
	}
}

// PlantLast calls Plant at the rank that owns the last item. Items are divided among the ranks by
// parts.Block.
func (o *Options) PlantLast(n *fagus.Node, items int, plant func()) {
	if n.Rank() == parts.Owner(items, n.Nodes(), items-1) {
		o.Plant(plant)
	}
}
