package history

import "slices"

// component returns the smallest strongly connected component of at least two nodes, or nil if the
// graph has no cycle. (Tarjan's algorithm, without recursion.)
func (g *graph) component() (smallest []int) {
	type frame struct{ node, edge int }
	index := make([]int, len(g.edges)) // 0: not visited
	low := make([]int, len(g.edges))
	onStack := make([]bool, len(g.edges))
	var stack []int
	count := 0
	for root := range g.edges {
		if index[root] != 0 {
			continue
		}
		frames := []frame{{root, 0}}
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			n := f.node
			if f.edge == 0 {
				count++
				index[n], low[n], onStack[n] = count, count, true
				stack = append(stack, n)
			}
			if f.edge < len(g.edges[n]) {
				to := g.edges[n][f.edge].to
				f.edge++
				if index[to] == 0 {
					frames = append(frames, frame{to, 0})
				} else if onStack[to] {
					low[n] = min(low[n], index[to])
				}
				continue
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := frames[len(frames)-1].node
				low[up] = min(low[up], low[n])
			}
			if low[n] != index[n] {
				continue
			}
			at := len(stack) - 1
			for ; stack[at] != n; at-- {
				onStack[stack[at]] = false
			}
			onStack[n] = false
			found := slices.Clone(stack[at:])
			stack = stack[:at]
			if len(found) > 1 && (smallest == nil || len(found) < len(smallest)) {
				smallest = found
			}
		}
	}
	return smallest
}

type step struct {
	from int
	why  string
}

// shortest returns the shortest cycle within nodes.
func (g *graph) shortest(nodes []int) (best []step) {
	within := make(map[int]bool, len(nodes))
	for _, n := range nodes {
		within[n] = true
	}
	const most = 1000 // try only so many starting nodes, to save time in a large component
	for _, start := range nodes[:min(len(nodes), most)] {
		came := map[int]step{} // by node: the step that first reached the node
		queue := []int{start}
		for len(queue) > 0 && came[start].why == "" {
			n := queue[0]
			queue = queue[1:]
			for _, e := range g.edges[n] {
				if _, seen := came[e.to]; within[e.to] && !seen {
					came[e.to] = step{n, e.why}
					queue = append(queue, e.to)
				}
			}
		}
		var cycle []step
		for n := start; len(cycle) == 0 || n != start; n = came[n].from {
			cycle = append(cycle, came[n])
		}
		slices.Reverse(cycle)
		if best == nil || len(cycle) < len(best) {
			best = cycle
		}
	}
	return best
}
