// Package many works on many small sync variables, where it shows most what a
// version of Fagus does about every single one.
//
// It reads as a tutorial:
//
//   - One array holds all variables, Config.Variables for every rank, each bound to
//     Config.Bytes of it.
//   - In each round a rank acquires the variables that the next rank had in the round
//     before, all in one set, adds an amount to each of their elements, computes for a
//     while, and releases. A Barrier keeps the rounds apart, so all data move in every one.
//   - In the end rank 0 acquires everything to read, and compares it with a closed form.
//
// With Config.Independent a rank keeps its variables, and nobody else wants them.
// Those that compute longer in a round do fewer of them. In phase mode every
// Acquire is then a meeting that nobody needs; a rank that has done its rounds waits
// in the Barrier, where it takes part in the phases of the others.
package many
