package parts

import "fmt"

// Block is the share of a rank in n items that ranks have in order: the items lo up to but not
// including hi. Shares differ by one item at most, the longer ones first; with more ranks than items some
// are empty.
func Block(n, ranks, rank int) (lo, hi int) {
	if n < 0 || rank < 0 || rank >= ranks {
		panic(fmt.Sprintf("parts: block %d of %d items in %d", rank, n, ranks))
	}
	each, more := n/ranks, n%ranks
	lo = rank*each + min(rank, more)
	hi = lo + each
	if rank < more {
		hi++
	}
	return lo, hi
}

// Owner is the rank in whose Block item i is.
func Owner(n, ranks, i int) int {
	if i < 0 || i >= n || ranks < 1 {
		panic(fmt.Sprintf("parts: owner of item %d of %d, of %d ranks", i, n, ranks))
	}
	each, more := n/ranks, n%ranks
	if longer := more * (each + 1); i >= longer {
		return more + (i-longer)/each
	}
	return i / (each + 1)
}

// Cyclic are the items of a rank if ranks have n items in turn, in order.
func Cyclic(n, ranks, rank int) (items []int) {
	if rank < 0 || rank >= ranks {
		panic(fmt.Sprintf("parts: rank %d of %d", rank, ranks))
	}
	for i := rank; i < n; i += ranks {
		items = append(items, i)
	}
	return items
}
