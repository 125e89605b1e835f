// Package many works on many small sync variables, so that it shows best what Fagus costs per
// variable.
//
// It is a tutorial of data that moves in turn:
//
//   - One array holds all data: Config.Variables variables for every rank, each bound to
//     Config.Bytes of it.
//   - In each round a rank acquires, in one set, the variables that the next rank had in the
//     previous round. It adds an amount to each of their elements, computes for a while, and
//     releases. A Barrier separates rounds, so all data moves in every round.
//   - In the end rank 0 acquires everything shared, and compares it with a closed form.
//
// With Config.Independent each rank keeps its own variables, which no other rank requests. Ranks
// that compute longer in a round do fewer rounds. In phase mode every Acquire is then a meeting
// that no rank needs; a rank that has finished its rounds waits in the Barrier, where it takes
// part in the phases of the other ranks.
package many
