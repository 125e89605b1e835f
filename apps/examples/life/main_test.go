package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
)

// TestLife: as many cells live at the end as in a game without Fagus.
func TestLife(t *testing.T) {
	const size, generations = 40, 30
	want := alone(size, generations)
	fagustest.Run(t, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		got, err := life(n, size, generations)
		if err == nil && got != want {
			err = fmt.Errorf("%d cells live, want %d", got, want)
		}
		return err
	})
}

// alone plays life on a torus without Fagus, and returns how many cells live at the end.
func alone(size, generations int) (alive int) {
	cells := make([]bool, size*size)
	for i := range size {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for j := range size {
			cells[i*size+j] = random.IntN(2) == 1
		}
	}
	for range generations {
		around := make([]int, size*size)
		for at, lives := range cells {
			for _, d := range [][2]int{{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}} {
				if lives {
					around[(at/size+d[0]+size)%size*size+(at+d[1]+size)%size]++
				}
			}
		}
		for at := range cells {
			cells[at] = around[at] == 3 || around[at] == 2 && cells[at]
		}
	}
	for _, lives := range cells {
		if lives {
			alive++
		}
	}
	return alive
}
