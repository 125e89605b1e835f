package after

import (
	"context"
	"fmt"
	"slices"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var best int

func mapped() {
	var all, own, cloned []int
	var node *fagus.Node
	var array *fagus.Guarded[int]
	_, err := fagus.Run(context.Background(), fagus.Config{Nodes: 1}, func(n *fagus.Node) error {
		node = n
		array = fagus.NewGuarded[int](n, "a", 10)
		all = array.Slice()[2:]
		own = array.Copy()
		cloned = slices.Clone(array.Slice())
		return n.Barrier()
	})
	fmt.Println(err, own, cloned)
	fmt.Println(len(all), node == nil)
	fmt.Println(all[0])           // want `after: all is of the run, which has ended: line 22 has set it`
	fmt.Println(array.Slice()[0]) // want `after: array is of the run, which has ended`
	node.Barrier()                // want `after: node is of the run`
}

func results() {
	perRank := make([]int, 8)
	total := 0
	program.Main(func(n *fagus.Node) error {
		perRank[n.Rank()] = 1
		if n.Rank() == 0 {
			total = 3
			best = 4
		}
		return nil
	})
	fmt.Println(perRank) // want `after: perRank is read after the run, and written by ranks \(line 38\): ranks that are processes have one each`
	fmt.Println(total)   // want `after: total is read after the run, and written by ranks \(line 40\)`
	fmt.Println(best)    // want `after: best is read after the run`
}

func byCluster() {
	total, other := 0, 0
	found := -1
	_, err := cluster.Run(context.Background(), fagus.Config{}, func(n *fagus.Node) error {
		if n.Rank() == 0 {
			total, other, found = 3, 4, 5
		}
		return nil
	})
	if err != nil {
		return
	}
	fmt.Println(total) // want `after: total is read after the run`
	if found >= 0 {
		fmt.Println(other)
	}
}

// Ranks are goroutines.
func here() {
	perRank := make([]int, 8)
	total := 0
	fagus.Run(context.Background(), fagus.Config{Nodes: 8}, func(n *fagus.Node) error {
		perRank[n.Rank()] = 1
		if n.Rank() == 0 {
			total = 3
		}
		return nil
	})
	fmt.Println(perRank, total)
}

func byApp() {
	var sums [8]int
	size := 3
	program.App{Run: func(n *fagus.Node) error {
		sums[n.Rank()] = size
		return nil
	}}.Main()
	fmt.Println(sums, size) // want `after: sums is read after the run`
}
