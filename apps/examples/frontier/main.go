// Command frontier goes through a random graph level by level (breadth-first search).
//
//	go run . --nodes 4 --scale 14
//
// The ranks divide the vertices, and each has the neighbours of its own. The frontier of a level is
// the vertices that were reached last. Each rank sends the neighbours of its part of the frontier
// to the ranks that own them, by parts.AllToAll; those that were not reached before are the next
// frontier. The search ends when it is empty on all ranks.
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
	scale  = flag.Int("scale", 12, "a graph of 2 to the power of `N` vertices, at most 30")
	degree = flag.Int("degree", 8, "`N` edges for each vertex, in the mean")
)

func main() { program.App{About: "searches a random graph", Run: run, Check: check}.Main() }

// check looks at the flags before any rank starts.
func check() error {
	if *scale < 1 || *scale > 30 || *degree < 0 {
		return fmt.Errorf("--scale %d --degree %d: want a scale of 1 to 30, and a degree of at least 0", *scale, *degree)
	}
	return nil
}

// run runs once as every rank.
func run(n *fagus.Node) error {
	levels, err := search(n, *scale, *degree<<*scale)
	if n.Rank() == 0 {
		for level, vertices := range levels {
			fmt.Printf("level %d: %d vertices\n", level, vertices)
		}
	}
	return err
}

// edge leads from a vertex to a neighbour of it.
type edge struct{ From, To int32 }

// search returns how many vertices each level has. Level 0 is vertex 0 alone.
func search(n *fagus.Node, scale, edges int) (levels []int, err error) {
	deal, err := parts.NewAllToAll[edge](n, "edges", 0) // messages of any length
	if err != nil {
		return nil, err
	}
	reach, err := parts.NewAllToAll[int32](n, "reached", 0)
	if err != nil {
		return nil, err
	}
	owner := func(v int32) int { return parts.Owner(1<<scale, n.Nodes(), int(v)) }
	lo, hi := parts.Block(1<<scale, n.Nodes(), n.Rank()) // this rank's vertices
	neighbours := make([][]int32, hi-lo)
	deal.Exchange(func(to [][]edge) { // each rank makes a part of the edges, for their owners
		first, end := parts.Block(edges, n.Nodes(), n.Rank())
		for i := first; i < end; i++ {
			a, b := ends(scale, i)
			to[owner(a)] = append(to[owner(a)], edge{a, b})
			to[owner(b)] = append(to[owner(b)], edge{b, a})
		}
	}, func(from [][]edge) {
		for _, edges := range from {
			for _, e := range edges {
				neighbours[int(e.From)-lo] = append(neighbours[int(e.From)-lo], e.To)
			}
		}
	})
	reached := make([]bool, hi-lo)
	var frontier []int32
	visit := func(v int32) {
		if !reached[int(v)-lo] {
			reached[int(v)-lo] = true
			frontier = append(frontier, v)
		}
	}
	if owner(0) == n.Rank() {
		visit(0)
	}
	for {
		size, err := fagus.Reduce(n, len(frontier), func(a, b int) int { return a + b })
		if err != nil || size == 0 { // errors stick: this finds those of Exchange
			return levels, err
		}
		levels = append(levels, size)
		reach.Exchange(func(to [][]int32) {
			for _, v := range frontier {
				for _, w := range neighbours[int(v)-lo] {
					to[owner(w)] = append(to[owner(w)], w)
				}
			}
			n.Spend(fagus.Time(len(frontier)) * 100 * fagus.Nanosecond) // on a simulated network
		}, func(from [][]int32) {
			frontier = nil
			for _, vertices := range from {
				for _, v := range vertices {
					visit(v)
				}
			}
		})
	}
}

// ends returns the two ends of edge i. Low numbers have more edges than high ones (R-MAT).
func ends(scale, i int) (a, b int32) {
	random := rand.New(rand.NewPCG(1, uint64(i))) // equal on any number of ranks
	for range scale {
		a, b = 2*a, 2*b
		switch quarter := random.Float64(); {
		case quarter < 0.57:
		case quarter < 0.76:
			b++
		case quarter < 0.95:
			a++
		default:
			a, b = a+1, b+1
		}
	}
	return a, b
}
