// Package radix sorts 32-bit keys by digits of 11 bits, the least significant digit first.
//
// It is a tutorial of an exchange in which every rank sends data to every other:
//
//   - Every rank has a block of the keys (parts.Block). In each pass it sorts them by one
//     digit, counts its keys by digit, and writes its block of the shared counts
//     (parts.Blocks). After a Barrier every rank acquires all counts, and derives from them the
//     destination of every key.
//   - There is a buffer with a sync variable for each pair of ranks. A rank acquires the buffers
//     that it sends, and declares how much of each it overwrites (Request.Writing), so only this
//     part moves. After another Barrier it acquires the buffers that it receives, and copies the
//     keys to their destinations. Keys that stay at their rank are not shared at all.
//   - The two Barriers also keep counts and keys from being overwritten while other ranks read
//     them: a rank that has passed one Barrier knows that all ranks have read what was written
//     before the other.
//
// A rank may have to send all of its keys to a single other rank, so each buffer has room for all
// keys of a rank. The address space holds 4 bytes times keys times ranks; most of it is never
// touched.
//
// The program verifies that the keys are in order, within blocks and from block to block, and
// that they are the keys of the seed: their number, their sum, and the exclusive or of their
// hashes. Rank 0 computes the expected values from the seed alone.
package radix
