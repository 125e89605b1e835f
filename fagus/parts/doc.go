// Package parts divides arrays and work among ranks. It uses only the public API of package fagus,
// so a program with other needs can start from a copy of this package.
//
//	lo, hi := parts.Block(rows, n.Nodes(), n.Rank())           // this rank's block of rows
//	x, err := parts.NewBlocks[float64](n, "x", rows, columns)  // a variable for each block
//	g, err := parts.NewGrid[float64](n, "u", parts.Shape{Rows: rows, Columns: columns, Halo: 1})
//	p, err := parts.NewPair[float64](n, "u", parts.Shape{...})  // two grids, for step after step
//	both := parts.Together(p, q)                                // steps of several pairs at once
//	v, err := parts.NewVectors[point](n, "points", 100)        // gather, reduce
//	w, err := parts.NewWhole[float64](n, "w", 1000)            // blocks that all ranks read
//	b, err := parts.Broadcast(n, read, 0)                      // what rank 0 has, on all ranks
//	r, err := parts.Gather(n, found)                           // any value from each rank
//	s, err := parts.NewSums[float64](n, "sums", 8)             // all-reduce of 8 numbers
//	a, err := parts.NewAllToAll[int32](n, "keys", 1000)        // from every rank to every other
//	t, err := parts.NewTable(n, "words", strings.Compare, add)  // keys with values to add
//	l, err := parts.NewList[string](n, "names", 1<<20)          // values of any size, a variable
//	q, err := parts.NewQueue(n, "rows", rows, 16)              // hands out 16 rows at a time
//	w, err := parts.NewPool[node](n, "tree", 1000)             // tasks that add tasks
//	c, err := parts.NewChannel[tile](n, "tiles", 16, 1)        // a queue from ranks to ranks
//
// All New functions are collective, like fagus.NewArray and Bind. Other functions are collective
// if their comments say so. All types work in both modes. The rules of Node apply: only the rank's
// goroutine makes calls, and a rank holds one set at a time.
//
// # Values of any size
//
// Elements of arrays have a fixed size. Broadcast, Gather, Reduce, AllToAll, Vectors, Table, List
// and Channel take values of any type that package [codec] encodes, too: strings, slices, maps,
// structs with them, types with MarshalBinary and UnmarshalBinary. Their lengths travel with them.
// Errors name the part of a type that cannot be encoded, when the first call is made or the object
// is created. docs/guide/values.md says what to use for which data.
//
// # Operations of all ranks
//
// MPI's collective operations have these counterparts:
//
//	MPI_Barrier            Node.Barrier; Node.Fence, which costs no phase in phase mode
//	MPI_Allreduce          fagus.Reduce for a number, Vectors.Reduce for a vector, Reduce
//	MPI_Allgather          fagus.Gather for a number, Whole for a block of a vector, Gather
//	MPI_Allgatherv         Vectors.Gather
//	MPI_Gather             Vectors.Gather, to which all ranks but one pass nil
//	MPI_Bcast              Broadcast
//	MPI_Alltoallv          AllToAll.Exchange
//
// Lengths may differ from rank to rank and from call to call, and travel with the data. Values are
// combined in the order of the ranks. A tenure that writes for others comes before a Fence, and
// the tenures that read come after it; data of the next call are in other arrays. So each type is
// by itself correct in both modes, and takes two phases a call in phase mode on few nodes. On many
// nodes, data for all ranks go in two steps by way of other ranks (see [Groups]); so do short
// messages of an all-to-all. Sums are folded.
//
// # Checkpoints
//
// Checkpoints contain the data of Blocks, a Grid, a Pair, a Table, a List and a Channel (see
// fagus.Node.Checkpoint), and a Resume restores them on any number of ranks; a Whole is saved only
// after its Keep. The buffers of all other types mean nothing between calls, and are not saved.
// [KeepBlock] and [KeepColumns] save private memory, [KeepSums] and [KeepExact] sums that are not
// added up yet. EachInRounds of a Queue or a Pool makes checkpoints itself; Each cannot.
//
// # Rounding of sums
//
// [Sums] adds in the order of the ranks, so the result has the same bits on all ranks, in both
// modes, and on every network. A different number of nodes, however, adds floating point numbers
// in a different order. [Exact] gives the same bits for any number of nodes: it adds without
// rounding, and rounds once at the end.
package parts
