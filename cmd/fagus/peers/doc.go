// Package peers measures several systems in turn, while all of them stay alive: ranks of Fagus, and
// programs that do the same with MPI.
//
//	running, err := peers.Start(ctx, system, socket)
//	rows, err := (&peers.Session{Running: all, Samples: 21, ...}).Measure(ctx, peers.Case{...})
//
// # Protocol
//
// A system is two processes. Each connects to the driver's Unix socket and says "rank R". Then it
// gets lines "OPERATION SIZE COUNT", the same at both, does so many operations, and answers with the
// nanoseconds that they took, of which rank 0's count, or with "error: " and why. In between it
// sleeps in read, so that whoever does not measure leaves the processors alone. It
// ends with its connection.
//
// # Samples
//
// A sample is a batch, between two probes of the processors' distance. All that are compared take
// theirs in turn, each time another first. A sample is near or far as both probes say, and
// dropped if they differ; only near ones are compared with near ones, and far ones with far ones.
package peers
