// Command wronglife plays life as apps/examples/life does, on two grids of its own, and forgets that
// a neighbour may still read the rows that it overwrites. In phase mode the order of the phases hides
// that.
package main

import (
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

const size = 64

func main() { program.Main(life) }

func life(n *fagus.Node) error {
	shape := parts.Shape{Rows: size, Columns: size, Halo: 1, Wrap: true}
	now, err := parts.NewGrid[uint8](n, "now", shape)
	if err != nil {
		return err
	}
	next, err := parts.NewGrid[uint8](n, "next", shape)
	if err != nil {
		return err
	}
	lo, hi := now.Mine()
	for range 20 {
		n.Set(slices.Concat(next.WantFill(), now.WantMine(fagus.Shared), now.WantHalo())...).Do(func() {
			for i := lo; i < hi; i++ {
				for j := range size {
					next.Row(i)[j] = 1 - now.Row(i - 1)[j]*now.Row(i + 1)[j]
				}
			}
		})
		now, next = next, now
	}
	if n.Rank() == 0 {
		fmt.Println("done")
	}
	return n.Err()
}
