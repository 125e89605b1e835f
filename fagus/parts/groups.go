package parts

import "math"

// groups divides ranks into about as many groups as a group has members, so that data go from
// every rank to every other in two steps. Each rank then has about as many partners as the square
// root of the number of ranks. The members at the same place in their groups form a column. The
// sizes of groups differ by at most one. The first member of a shorter group also serves the
// column that the group lacks.
type groups struct{ ranks, count int }

func groupsOf(ranks int) groups {
	return groups{ranks, int(math.Round(math.Sqrt(float64(ranks))))}
}

// members returns the ranks of a group: lo to hi-1.
func (g groups) members(group int) (lo, hi int) { return Block(g.ranks, g.count, group) }

// columns returns the number of columns.
func (g groups) columns() int { _, hi := g.members(0); return hi }

// of returns the group and the column of a rank.
func (g groups) of(rank int) (group, column int) {
	group = Owner(g.ranks, g.count, rank)
	lo, _ := g.members(group)
	return group, rank - lo
}

// server returns the member of a group that serves a column.
func (g groups) server(group, column int) (rank int) {
	lo, hi := g.members(group)
	if lo+column < hi {
		return lo + column
	}
	return lo
}

// column returns the ranks of a column, in ascending order.
func (g groups) column(column int) (ranks []int) {
	for i := range g.count {
		if lo, hi := g.members(i); lo+column < hi {
			ranks = append(ranks, lo+column)
		}
	}
	return ranks
}

// served returns the columns that a rank serves in its group.
func (g groups) served(rank int) (columns []int) {
	group, _ := g.of(rank)
	for c := range g.columns() {
		if g.server(group, c) == rank {
			columns = append(columns, c)
		}
	}
	return columns
}
