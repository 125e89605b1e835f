package parts

import "math"

// Groups divides ranks into about as many groups as a group has members, so that data go from
// every rank to every other in two steps. Each rank then has about as many partners as the square
// root of the number of ranks. The members at the same place in their groups form a column. The
// sizes of groups differ by at most one. The first member of a shorter group also serves the
// column that the group lacks.
type Groups struct{ ranks, count int }

// GroupsOf returns the groups of so many ranks.
func GroupsOf(ranks int) Groups {
	return Groups{ranks, int(math.Round(math.Sqrt(float64(ranks))))}
}

// Members returns the ranks of a group: lo to hi-1.
func (g Groups) Members(group int) (lo, hi int) { return Block(g.ranks, g.count, group) }

// Columns returns the number of columns.
func (g Groups) Columns() int { _, hi := g.Members(0); return hi }

// Of returns the group and the column of a rank.
func (g Groups) Of(rank int) (group, column int) {
	group = Owner(g.ranks, g.count, rank)
	lo, _ := g.Members(group)
	return group, rank - lo
}

// Server returns the member of a group that serves a column.
func (g Groups) Server(group, column int) (rank int) {
	lo, hi := g.Members(group)
	if lo+column < hi {
		return lo + column
	}
	return lo
}

// Column returns the ranks of a column, in ascending order.
func (g Groups) Column(column int) (ranks []int) {
	for i := range g.count {
		if lo, hi := g.Members(i); lo+column < hi {
			ranks = append(ranks, lo+column)
		}
	}
	return ranks
}

// Served returns the columns that a rank serves in its group.
func (g Groups) Served(rank int) (columns []int) {
	group, _ := g.Of(rank)
	for c := range g.Columns() {
		if g.Server(group, c) == rank {
			columns = append(columns, c)
		}
	}
	return columns
}
