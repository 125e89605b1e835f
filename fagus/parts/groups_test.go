package parts

import (
	"slices"
	"testing"
)

// TestGroups: in groups of any number of ranks, each group serves each column by one of its own
// ranks, and no rank serves more than two columns.
func TestGroups(t *testing.T) {
	for ranks := 1; ranks <= 130; ranks++ {
		g := GroupsOf(ranks)
		if c := g.Columns(); c*g.count < ranks || (c-1)*g.count >= ranks || c < g.count-1 || c > g.count+1 {
			t.Fatalf("%d ranks are %d groups in %d columns", ranks, g.count, c)
		}
		for group := range g.count {
			served := make(map[int][]int)
			for column := range g.Columns() {
				r := g.Server(group, column)
				if lo, hi := g.Members(group); r < lo || r >= hi {
					t.Fatalf("of %d ranks, rank %d serves column %d of group %d", ranks, r, column, group)
				}
				served[r] = append(served[r], column)
			}
			for r, columns := range served {
				if len(columns) > 2 || !slices.Equal(columns, g.Served(r)) {
					t.Errorf("of %d ranks, rank %d serves columns %v, and Served returns %v; want at most two", ranks, r, columns, g.Served(r))
				}
				if of, column := g.Of(r); of != group || !slices.Contains(g.Column(column), r) {
					t.Errorf("of %d ranks, rank %d is in group %d, column %d: want group %d", ranks, r, of, column, group)
				}
			}
		}
	}
}
