// Package radix sorts 32-bit keys by their digits of 11 bits, the least significant first.
//
// It reads as a tutorial of data that go from every rank to every other:
//
//   - Every rank has a block of the keys (parts.Block). In a pass it sorts them by one digit, counts how many it
//     has of each, and fills in its block of the counts of all ranks (parts.Blocks). After a Barrier all
//     acquire all counts, and know from them where every key of every rank goes.
//   - There is a variable for each pair of ranks. A rank acquires those for what it sends, and declares how much of
//     them it writes (Request.Writing), so that no more moves. After another Barrier it acquires
//     those for what it receives, and copies the keys to where they go. What stays is not shared at all.
//   - The two Barriers see to it that no counts and no keys are overwritten while others read them: who has passed
//     the one knows that all have read what was written before the other.
//
// A rank might send all of its keys to one other. So each variable has room for that: the address space holds
// 4 bytes times keys times ranks, of which most are never touched.
//
// Verified is that the keys are in order, within blocks and from one to the next, and that they are those of
// the seed: how many, their sum, and the exclusive or of a hash of each, of which rank 0 makes those that
// are expected from the seed alone.
package radix
