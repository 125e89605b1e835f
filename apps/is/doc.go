// Package is is NPB's "integer sort" benchmark. It finds the rank of every key, that is the
// number of smaller keys, in ten iterations; each iteration changes two keys first. A key is the
// sum of four random numbers, so keys in the middle of the range are the most frequent.
//
// It is a tutorial of an exchange in which every rank sends data to every other:
//
//   - Every rank generates a block of the keys (parts.Block), and computes the ranks of all
//     keys in one range of values. Ranges consist of buckets. parts.Sums counts the keys of all
//     ranks in each bucket, and the ranges are chosen to hold about as many keys each. This is
//     done once, before the clock starts; NPB does it in every iteration.
//   - There are 16 to 32 times as many keys as values. So few ranks send counts: every rank
//     counts its own keys by value, and sends every other rank the counts of its range. A rank
//     adds them up, and accumulates the sums. That moves less than the keys, as long as a rank
//     has more keys than there are values.
//   - Otherwise, on 16 ranks or more (32 in class S), the keys travel: a rank sends every other
//     rank the keys of its range, and the receiver counts them.
//   - Both travel by parts.AllToAll, after a head that has the number of keys for lower ranks.
//     A range of values is ranked by one rank alone.
//   - A Reduce then adds up the tests that passed.
//
// The number of nodes is arbitrary. Ranks of keys are integers, so the result does not depend on
// it.
//
// The benchmark verifies the same as NPB 3.3 and 3.4: the ranks of five keys in each of the ten
// timed iterations and, at the end, that sorting by rank puts all keys in order. That makes 51
// passes.
package is
