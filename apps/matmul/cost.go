package matmul

import "github.com/fagus-dsm/fagus/fagus"

// The Pentium III at 950 MHz of the paper's evaluation, as a model of a blocked product.
const (
	// clockPs is the length of a cycle at 950 MHz, rounded.
	clockPs = 1053
	// cyclesPerStep is the cost of c += a*b: both the multiplication and the addition of the x87
	// unit use port 0, for one cycle each (Intel Architecture Optimization Reference Manual,
	// 245127, appendix C). Loads and stores use other ports. gcc 2.95, the compiler of the time,
	// generated no SSE code, so 4-byte numbers are not faster.
	cyclesPerStep = 2
	// busPsPerByte is the time to transfer a byte of PC100 memory: 8 bytes at 100 MHz.
	busPsPerByte = 1250
	// tile is the side of the square of B that stays in the 256 KB L2 cache while rows of A pass:
	// 128 x 128 x 8 bytes, half of the cache.
	tile = 128
)

// pentium3 returns the virtual time to compute some rows of C = A x B, where A has k columns and
// B has n. It is the time of the arithmetic plus, without overlap, that of the traffic on the
// memory bus: B crosses the bus once, a row of A once per column of tiles, and a row of C in both
// directions once per row of tiles.
func pentium3(rows, k, n, elementBytes int) fagus.Time {
	if rows == 0 {
		return 0
	}
	steps := rows * k * n
	columns, layers := (n+tile-1)/tile, (k+tile-1)/tile
	bytes := elementBytes * (k*n + rows*k*columns + 2*rows*n*layers)
	return fagus.Time(steps)*cyclesPerStep*clockPs + fagus.Time(bytes)*busPsPerByte
}

// Cost returns the virtual time that a rank is charged for some rows of C = A x B of 8-byte
// numbers, where A has k columns and B has n.
func Cost(rows, k, n int) fagus.Time { return pentium3(rows, k, n, 8) }
