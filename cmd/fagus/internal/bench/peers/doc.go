// Package peers measures several systems in turns while all of them stay alive. A system is a
// group of Fagus ranks, or a program of another library that performs the same operations.
//
//	running, err := peers.Start(ctx, system, socket)
//	rows, err := (&peers.Session{Running: all, Samples: 21, ...}).Measure(ctx, peers.Case{...})
//
// # Protocol
//
// A system is one process for each rank. Each connects to the driver's Unix socket and sends
// "rank R", or "rank R over PROVIDER..." with the providers of libfabric that it has opened. Then
// all receive the same lines "OPERATION SIZE COUNT". For each line they perform the operation COUNT
// times and answer with the time taken in nanoseconds, or with "error: " and the reason. The driver
// uses the time of rank 0. It may send a line before it has the answer to the last one. Between
// commands a rank sleeps in read, so that idle systems leave the processors free. A rank ends when
// the driver closes the connection.
//
// # Samples
//
// A sample is a batch of operations between two probes of the processors' distance. The compared
// methods take their samples in turns, and each round begins with another method. A sample is
// near or far if both probes say so; if the probes differ, the sample is dropped. Near samples are
// compared only with near samples, and far samples only with far samples. The probes are of the
// processors of ranks 0 and 1.
package peers
