package parts_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// TestWantFill: the contents of filled blocks reach all ranks in several rounds, even if some
// ranks have no rows.
func TestWantFill(t *testing.T) {
	const rows, columns, rounds = 3, 5, 4
	everywhere(t, func(on fagus.Config) {
		run(t, on, func(n *fagus.Node) error {
			b, err := parts.NewBlocks[int32](n, "b", rows, columns)
			if err != nil {
				return err
			}
			g, err := parts.NewGrid[int32](n, "g", parts.Shape{Rows: rows, Columns: columns, Halo: 1})
			if err != nil {
				return err
			}
			for round := range int32(rounds) {
				if err := fillBoth(n, b, g, round); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// fillBoth fills b and g with the numbers of a round, and checks all elements of both.
func fillBoth(n *fagus.Node, b *parts.Blocks[int32], g *parts.Grid[int32], round int32) error {
	number := func(i int) int32 { return 1 + 1000*round + int32(i) }
	size := g.Rows * g.Columns
	if err := n.During(n.Set(slices.Concat(b.WantFill(), g.WantFill())...), func() error {
		lo, hi := g.Mine()
		for i := lo * g.Columns; i < hi*g.Columns; i++ {
			b.Slice()[i], g.Slice()[i] = number(i), -number(i)
		}
		return nil
	}); err != nil {
		return err
	}
	if err := n.Barrier(); err != nil {
		return err
	}
	if err := n.During(n.Set(slices.Concat(b.WantAll(fagus.Shared), g.WantAll(fagus.Shared))...), func() error {
		for i := range size {
			if b.Slice()[i] != number(i) || g.Slice()[i] != -number(i) {
				return fmt.Errorf("round %d: rank %d sees %d and %d as elements %d, want %d and its negative", round, n.Rank(), b.Slice()[i], g.Slice()[i], i, number(i))
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return n.Barrier()
}
