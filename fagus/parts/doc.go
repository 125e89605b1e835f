// Package parts divides arrays and work among ranks. It uses only the public API of package fagus,
// so a program with other needs can start from a copy of this package.
//
//	lo, hi := parts.Block(rows, n.Nodes(), n.Rank())           // this rank's block of rows
//	x, err := parts.NewBlocks[float64](n, "x", rows, columns)  // a variable for each block
//	g, err := parts.NewGrid[float64](n, "u", parts.Shape{Rows: rows, Columns: columns, Halo: 1})
//	p, err := parts.NewPair[float64](n, "u", parts.Shape{...})  // two grids, for step after step
//	s, err := parts.NewSums[float64](n, "sums", 8)             // all-reduce of 8 numbers
//	q, err := parts.NewQueue(n, "rows", rows, 16)              // hands out 16 rows at a time
//	w, err := parts.NewPool[node](n, "tree", 1000)             // tasks that add tasks
//
// All New functions are collective, like fagus.NewArray and Bind. Other functions are collective
// if their comments say so. All types work in both modes. The rules of Node apply: only the rank's
// goroutine makes calls, and a rank holds one set at a time.
//
// # Rounding of sums
//
// [Sums] adds in the order of the ranks, so the result has the same bits on all ranks, in both
// modes, and on every network. A different number of nodes, however, adds floating point numbers
// in a different order. [Exact] gives the same bits for any number of nodes: it adds without
// rounding, and rounds once at the end.
package parts
