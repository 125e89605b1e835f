// Package parts divides arrays and work between ranks. It holds what several programs
// needed in the same way, and uses nothing but the public face of
// package fagus: whoever needs something else can begin with a copy.
//
//	lo, hi := parts.Block(rows, n.Nodes(), n.Rank())          // this rank's share
//	x, err := parts.NewBlocks[float64](n, "x", rows, columns)  // an array, a variable a rank
//	g, err := parts.NewGrid[float64](n, "u", parts.Shape{Rows: rows, Columns: columns, Halo: 1})
//	s, err := parts.NewSums[float64](n, "sums", 8)            // all-reduce of 8 numbers
//	q, err := parts.NewQueue(n, "tasks", tasks, 16)           // who is free takes 16
//
// All New functions are collective, as fagus.NewArray and Bind are, and so is what says so.
// All of it works in both modes. A Node's rules hold: one goroutine a rank, one set at a time.
//
// # Sums and bits
//
// [Sums] adds in the order of the ranks: the same bits at all ranks, in both modes, on every
// network. With another number of nodes floating point numbers are added in another order. An
// [Exact] is for who wants the same bits there, too: it adds without rounding, and rounds once.
package parts
