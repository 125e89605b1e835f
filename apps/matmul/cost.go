package matmul

import "github.com/fagus-dsm/fagus/fagus"

// The Pentium III at 950 MHz of the paper's evaluation (docs/lab/papers.md, Fagus), as a model of
// the paper's loop: for every row i and column j, the sum over k of A[i][k] * B[k][j]. The loop
// goes down the columns of B, so every step reads another line of another page.
const (
	// clockPs is the length of a cycle at 950 MHz, rounded.
	clockPs = 1053
	// cyclesPerStep is the cost of c += a*b without misses: both the multiplication and the
	// addition of the x87 unit use port 0, for one cycle each (Intel Architecture Optimization
	// Reference Manual, 245127, appendix C).
	cyclesPerStep = 2
	// The second-level cache of a Pentium III (the same manual).
	lineBytes  = 32
	cacheBytes = 256 << 10
	cacheWays  = 8
)

// Cost returns what some rows of C = A x B cost on a virtual clock, where A has k columns and B has
// n: the time without misses, and the number of lines that come from memory.
func Cost(rows, k, n, elementBytes int) (compute fagus.Time, misses int) {
	return fagus.Time(rows*k*n) * cyclesPerStep * clockPs, missesOfB(rows, k, n, elementBytes)
}

// missesOfB returns how many of the steps miss the second-level cache in B. The misses in A and C,
// which the loop reads and writes along rows, are too few to count.
func missesOfB(rows, k, n, elementBytes int) int {
	row := n * elementBytes
	lines := (row + lineBytes - 1) / lineBytes // of a row of B
	switch {
	case rows == 0:
		return 0
	case k*row <= cacheBytes: // B stays in the cache
		return k * lines
	case columnFits(k, row): // a line stays until the loop has used all of its columns
		return rows * k * lines
	}
	return rows * k * n
}

// columnFits reports whether the cache holds the lines of one column of B, whose elements lie row
// bytes apart.
func columnFits(k, row int) bool {
	sets := make([]int, cacheBytes/lineBytes/cacheWays)
	for i := range k {
		set := i * row / lineBytes % len(sets)
		if sets[set]++; sets[set] > cacheWays {
			return false
		}
	}
	return true
}
