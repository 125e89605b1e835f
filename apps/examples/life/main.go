// Command life plays Conway's game of life on a torus, and prints how many cells live at the end.
//
//	go run . --nodes 4 --size 1000
//
// The ranks divide the rows. A parts.Pair holds two grids: in each step a rank computes its rows of
// the next generation from its rows of the present one and a row of either neighbour.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var (
	size        = flag.Int("size", 64, "a torus of `N` rows and columns")
	generations = flag.Int("generations", 100, "play `N` generations")
)

func main() { program.App{About: "plays the game of life on a torus", Run: run}.Main() }

// run runs once as every rank.
func run(n *fagus.Node) error {
	alive, err := life(n, *size, *generations)
	if n.Rank() == 0 && err == nil {
		fmt.Println(alive, "cells live")
	}
	return err
}

// life returns how many cells live after so many generations.
func life(n *fagus.Node, size, generations int) (alive int, err error) {
	cells, err := parts.NewPair[uint8](n, "cells", parts.Shape{Rows: size, Columns: size, Halo: 1, Wrap: true})
	if err != nil {
		return 0, err
	}
	lo, hi := cells.Now.Mine()
	fill := func() error {
		for i := lo; i < hi; i++ {
			random := rand.New(rand.NewPCG(1, uint64(i))) // equal rows on any number of ranks
			for j := range cells.Next.Row(i) {
				cells.Next.Row(i)[j] = uint8(random.IntN(2))
			}
		}
		return nil
	}
	if err := cells.Fill(fill); err != nil {
		return 0, err
	}
	step := func() error {
		for i := lo; i < hi; i++ {
			next(cells.Next.Row(i), cells.Now.Row(i-1), cells.Now.Row(i), cells.Now.Row(i+1))
		}
		n.Spend(fagus.Time((hi-lo)*size) * 10 * fagus.Nanosecond) // on a simulated network
		return nil
	}
	for range generations {
		if err := cells.Step(step); err != nil {
			return 0, err
		}
	}
	count := func() {
		for i := lo; i < hi; i++ {
			for _, cell := range cells.Now.Row(i) {
				alive += int(cell)
			}
		}
	}
	if err := n.Set(cells.Now.WantMine(fagus.Shared)...).Do(count); err != nil {
		return 0, err
	}
	return fagus.Reduce(n, alive, func(a, b int) int { return a + b })
}

// next computes a row of the next generation from the rows above, here and below.
func next(to, above, here, below []uint8) {
	for j := range to {
		left, right := (j+len(to)-1)%len(to), (j+1)%len(to)
		around := above[left] + above[j] + above[right] + here[left] + here[right] + below[left] + below[j] + below[right]
		to[j] = 0
		if around == 3 || around == 2 && here[j] == 1 {
			to[j] = 1
		}
	}
}
