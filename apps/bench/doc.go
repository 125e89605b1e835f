// Package bench measures the time that calls of Fagus take between ranks.
//
//	barrier      all ranks call Barrier
//	sum          Reduce: every rank contributes a float64 and gets the sum of all
//	hand-over    rank 0 and rank 1 in turn acquire a variable exclusively, read and change all
//	             data bound to it, and release it: a round trip is two turns. Other ranks
//	             acquire nothing. In threaded mode, which does not order the turns, a rank
//	             that comes too early releases the variable and tries again
//	stream       rank 0 has rewritten a region; the time until rank 1 has acquired it and has
//	             reached a Barrier. Rank 1 reads the region afterwards
//	stream-read  the same, until rank 1 has read the region, too
//	matmul       the data movement of a product of matrices: from when rank 0 has written A and
//	             B until it has all rows of C. Rows are written instead of computed; the time
//	             in which rank 0 writes its own is subtracted. Each rank has one block of rows
//	product      the same with computing, by a simple kernel
//
// A sample is a batch of calls between two readings of the clock, on rank 0. A batch is long
// enough to make the resolution of the clock irrelevant. The measured time is what a program
// experiences: the phases of phase mode, or the requests of threaded mode, and all copying.
//
//	samples, err := bench.Run(n, bench.Config{Op: bench.HandOver, Bytes: 4096, Samples: 21})
//
// A [Meter] measures batch by batch, so that a caller can measure something else in between. Each
// operation checks a few words of the data that must have arrived, and returns an error if they
// are wrong.
package bench
