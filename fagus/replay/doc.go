// Package replay runs one rank of a recorded run alone, with what the other ranks sent: as often
// as one likes, under a debugger or profiler.
//
//	r, err := replay.Open("rec", 3)
//	e := r.Engine(space, observer)
//	err = r.Network().Run(ctx, r.Nodes, func(h dimmnet.Host) error { ... })
//	result := r.Finish(err)
//
// Package fagus does this in Run if the variable FAGUS_REPLAY names a record with values, which
// `fagus replay` sets.
//
// # What the rank gets
//
// The record of each rank has what its tenures wrote. An Acquire brings the variables of the set
// to the versions that the recorded tenure saw, by writing what others had written since into the
// rank's arrays; an Update does so for the variables of which data arrived then. A Reduce returns
// the words of all ranks, each of which is in the record of its rank. What reaches a program by
// other ways (the clock, random numbers, checkpoints) are inputs (recording.Inputs).
//
// # What is compared
//
// Each call, with its variables, must be the recorded one: another call fails with an error that
// names both. At each Release the bytes that the rank has written are compared with the recorded
// ones, and in each Reduce its word. The first difference is kept, and the run goes on. A call at
// another line is only noted: the program may have been edited.
//
// # Limits
//
// The index of what others wrote takes about as much memory as the records take on disk, at most.
// What ranks of one process share by other means than arrays and calls is not in a record.
package replay
