// Package travel has the commands that read the records of runs with --record: why says who wrote
// an element of an array, show writes an array as it was at a point of the run, and diff finds the
// first element in which two runs differ.
//
// # Which points of two runs correspond
//
// A call in which all ranks meet (Update, Barrier, Reduce, Fence, the end) is a cut: every tenure
// lies before it or after it, on whatever rank and in whatever mode, and all ranks make the same
// such calls in the same order. So the contents of the arrays at such a call depend neither on time
// nor on phases. Two runs are compared at the k-th call of each kind and source line.
//
// Between two such calls, an element is guarded by one variable, and versions of the variable order
// its writes. So a file can be read after the other, and the newest version counts.
//
// Records may be damaged or made by anybody: sizes are checked before memory is allocated, and
// texts are quoted unless they are printable.
package travel
