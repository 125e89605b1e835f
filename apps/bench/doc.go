// Package bench measures what the calls of Fagus take between ranks.
//
//	barrier      all ranks call Barrier
//	sum          Reduce: every rank gives a float64 and gets the sum of all
//	hand-over    rank 0 and rank 1 in turn acquire a variable exclusively, read and change all
//	             that it guards, and release it: a round trip is two turns. Other ranks
//	             acquire nothing. In threaded mode turns are taken as it comes
//	stream       rank 0 has rewritten a region; it takes from then until rank 1 has acquired it
//	             and has said so, in a Barrier. Rank 1 reads it afterwards
//	stream-read  the same, until rank 1 has read it as well
//	matmul       what a product of matrices moves: from when rank 0 has written A and B until it
//	             has all rows of C, without the time in which it writes its own rows, instead of
//	             computing them. Rows are shared out in one piece a rank
//	product      the same with computing, by a plain kernel
//
// A sample is a batch of calls between two readings of the clock, on rank 0; a batch
// takes long enough for the clock not to matter. What is measured is the program's view: the
// phases of the phase engine, or the requests of the threaded one, and all copying.
//
//	samples, err := bench.Run(n, bench.Config{Op: bench.HandOver, Bytes: 4096, Samples: 21})
//
// A [Meter] measures batch by batch, for who measures something else in between. What must
// have arrived is looked at in each operation, in a few words: an error if it has not.
package bench
