// Package random runs a random program and compares all that it sees with a model of bytes. It is
// the oracle that all networks share: the program, the model and the seed are the same on each.
//
//   - A plan follows from Config.Seed: arrays, variables that guard ranges of them, some of which
//     are declared in a later round, and in each round up to three tenures of every rank, and the
//     collective call at its end.
//   - With Config.Cycle rounds recur, with other bytes each time, and ranks deviate now and then.
//   - A tenure acquires about half of the variables, shared or exclusively, in one set. It writes
//     single bytes and ranges, puts some of them back to what they were, and declares the writes
//     beforehand, reports them afterwards in overlapping parts, or leaves them to be detected.
//   - Each rank keeps a log: after every Acquire, before every Release and after every Update a
//     hash of each variable's content, and the time; a rank that has copies of its own also logs
//     what it sees of variables that it does not hold.
//   - In the end rank 0 acquires the logs of all ranks, and replays them: it orders the exclusive
//     tenures of a variable by time, performs their writes on bytes, and compares.
//
// # Checks
//
//	exclusion   no exclusive tenure overlaps another tenure of its variable
//	content     a tenure begins with what earlier tenures wrote, and ends with only its own
//	            writes added
//	update      an Update brings what all tenures up to it wrote
//	copies      what a rank sees of a variable changes only by its own calls (private copies)
//	reduce      a Reduce combines the inputs in the order of the ranks
//
// # Limits
//
// Ranks in different processes need the same wall clock: they are on one host, or in its network
// namespaces. A hash has 64 bits. The logs travel through Fagus itself; a log that arrives damaged
// counts as wrong.
package random
