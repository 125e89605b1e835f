package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/fagustest"
)

// TestSearch: each level has as many vertices as in a search by one queue.
func TestSearch(t *testing.T) {
	const scale, edges = 8, 300
	want := alone(scale, edges)
	fagustest.Run(t, fagus.Config{Nodes: 3}, func(n *fagus.Node) error {
		got, err := search(n, scale, edges)
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("levels of %d vertices, want %d", got, want)
		}
		return err
	})
}

// alone searches the graph on plain slices.
func alone(scale, edges int) (levels []int) {
	neighbours := make([][]int32, 1<<scale)
	for i := range edges {
		a, b := ends(scale, i)
		neighbours[a], neighbours[b] = append(neighbours[a], b), append(neighbours[b], a)
	}
	level := map[int32]int{0: 0}
	for queue := []int32{0}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		if level[v] == len(levels) {
			levels = append(levels, 0)
		}
		levels[level[v]]++
		for _, w := range neighbours[v] {
			if _, ok := level[w]; !ok {
				level[w] = level[v] + 1
				queue = append(queue, w)
			}
		}
	}
	return levels
}
