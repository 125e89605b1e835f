// Package bench measures what the calls of Fagus take between ranks.
//
//	barrier      all ranks call Barrier
//	hand-over    rank 0 and rank 1 in turn acquire a variable exclusively, read and change all
//	             that it guards, and release it: a round trip is two turns. Other ranks
//	             acquire nothing
//
// A sample is a batch of calls between two readings of the clock, on rank 0; a batch
// takes long enough for the clock not to matter. What is measured is the program's view: the
// phases of the phase engine, or the requests of the threaded one, and all copying.
//
//	samples, err := bench.Run(n, bench.Config{Op: bench.HandOver, Bytes: 4096, Samples: 21})
package bench
