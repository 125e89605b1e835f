package verify

import "github.com/fagus-dsm/fagus/fagus"

// Reduction performs a Reduce whose result depends on the order of the ranks' inputs, and on the
// round. All ranks call it. It returns the result at this rank, and the correct one.
func Reduction(n *fagus.Node, round int) (got, want int64, err error) {
	input := func(rank int) int64 { return int64(round+1)*1_000_003 - int64(rank) }
	combine := func(a, b int64) int64 { return 31*a + b }
	want = input(0)
	for rank := 1; rank < n.Nodes(); rank++ {
		want = combine(want, input(rank))
	}
	got, err = fagus.Reduce(n, input(n.Rank()), combine)
	return got, want, err
}
