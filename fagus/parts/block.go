package parts

import "fmt"

// Block divides n items in order among the given number of ranks, and returns the block of one
// rank: the items lo to hi-1. The sizes of blocks differ by one at most; lower ranks have the
// larger blocks. With fewer items than ranks, some blocks are empty. Invalid arguments cause a
// panic.
func Block(n, ranks, rank int) (lo, hi int) {
	if n < 0 || rank < 0 || rank >= ranks {
		panic(fmt.Sprintf("parts: Block(%d, %d, %d): want n >= 0 and 0 <= rank < ranks", n, ranks, rank))
	}
	each, more := n/ranks, n%ranks
	lo = rank*each + min(rank, more)
	hi = lo + each
	if rank < more {
		hi++
	}
	return lo, hi
}

// Owner returns the rank whose Block contains item i. It panics if an argument is out of range.
func Owner(n, ranks, i int) int {
	if i < 0 || i >= n || ranks < 1 {
		panic(fmt.Sprintf("parts: Owner(%d, %d, %d): want ranks >= 1 and 0 <= i < n", n, ranks, i))
	}
	each, more := n/ranks, n%ranks
	if longer := more * (each + 1); i >= longer {
		return more + (i-longer)/each
	}
	return i / (each + 1)
}

// Cyclic deals n items to ranks in turn, and returns the items of one rank: rank, rank+ranks, and
// so on. It panics if rank is out of range.
func Cyclic(n, ranks, rank int) (items []int) { return CyclicFrom(0, n, ranks, rank) }

// CyclicFrom is [Cyclic], without the items below lo.
func CyclicFrom(lo, n, ranks, rank int) (items []int) {
	if rank < 0 || rank >= ranks {
		panic(fmt.Sprintf("parts: Cyclic(%d, %d, %d): want 0 <= rank < ranks", n, ranks, rank))
	}
	for i := rank; i < n; i += ranks {
		if i >= lo {
			items = append(items, i)
		}
	}
	return items
}
