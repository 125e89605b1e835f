// Package bench has the command fagus bench. It measures the time of calls between ranks, also in
// comparison with MPI libraries (docs/lab/peers.md), how late posts land in a rank that computes,
// and the product of matrices on one processor.
package bench
