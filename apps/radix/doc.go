// Package radix sorts 32-bit keys by digits of 11 bits, the least significant digit first.
//
// It is a tutorial of an exchange in which every rank sends data to every other:
//
//   - Every rank has a block of the keys (parts.Block). In each pass it sorts them by one
//     digit, and counts its keys by digit.
//   - Each rank is responsible for some digits. It gets the numbers of keys with these digits from
//     all ranks, adds them up, and sends each rank the positions of its keys. So no rank
//     handles the counts of all digits of all ranks.
//   - Every rank sends each other rank the keys that belong there, and merges the keys that it
//     receives. Keys that stay at their rank are not shared at all.
//   - All three exchanges use one parts.AllToAll. So phases repeat.
//
// A rank may have to send all of its keys to a single other rank, so the messages of AllToAll have
// room for all keys of a rank. The address space holds 8 bytes times keys times ranks; most of it
// is never touched.
//
// The program verifies that the keys are in order, within blocks and from block to block, and
// that they are the keys of the seed: their number, their sum, and the exclusive or of their
// hashes. Rank 0 computes the expected values from the seed alone.
package radix
