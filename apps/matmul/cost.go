package matmul

import "github.com/fagus-dsm/fagus/fagus"

// The Pentium III 950 of the paper's evaluation, as far as a blocked product
// sees it.
const (
	// clockPs is one cycle at 950 MHz, rounded.
	clockPs = 1053
	// cyclesPerStep is what c += a*b takes: the multiply and the add of the x87
	// unit both go through port 0, one a cycle (Intel Architecture Optimization
	// Reference Manual, 245127, appendix C). Loads and stores use other ports.
	// gcc 2.95, the compiler of the time, made no SSE code, so 4-byte numbers
	// are no faster.
	cyclesPerStep = 2
	// busPsPerByte is PC100 memory: 8 bytes at 100 MHz.
	busPsPerByte = 1250
	// tile is the edge of the square of B that is kept in the 256 KB L2 cache
	// while the rows pass by: 128 x 128 x 8 bytes, half of it.
	tile = 128
)

// pentium3 is the virtual time of rows rows of C = A x B, A having k columns
// and B n: the arithmetic, and after it, unhidden, what crosses the memory bus.
// B does so once, a row of A once for every tile column, a row of C to and fro
// once for every tile row.
func pentium3(rows, k, n, elementBytes int) fagus.Time {
	if rows == 0 {
		return 0
	}
	steps := rows * k * n
	columns, layers := (n+tile-1)/tile, (k+tile-1)/tile
	bytes := elementBytes * (k*n + rows*k*columns + 2*rows*n*layers)
	return fagus.Time(steps)*cyclesPerStep*clockPs + fagus.Time(bytes)*busPsPerByte
}

// Cost is the virtual time that a rank is charged for rows rows of C = A x B, A having k columns and B n, of 8-byte numbers.
func Cost(rows, k, n int) fagus.Time { return pentium3(rows, k, n, 8) }
