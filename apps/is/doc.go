// Package is is NPB's "integer sort": it finds the rank of every key, that is how many are less, ten times,
// with two keys changed each time. Keys are sums of four random numbers, so those in the middle are frequent.
//
// It reads as a tutorial of how to move data that every rank has for every other:
//
//   - Every rank has a block of the keys (parts.Block), and ranks those of a range. The ranges are made of
//     buckets, of which parts.Sums says how many keys of all ranks are in each, so that ranks have about as
//     many keys each. That is done once, before the clock runs; NPB does it in every iteration.
//   - Keys go through boxes, one from every rank to every other, each guarded by a variable of its own and
//     as large as what it must hold. So nothing moves but the keys.
//   - To send, a rank holds its boxes and a head that says how many keys are in each. What it will write is
//     declared (Writing), since it writes all of it: no copy to compare with is needed.
//   - A Barrier later it holds the heads of all ranks and the boxes to itself, shared, counts keys by
//     value, and adds up.
//   - Then a Reduce adds how many tests have passed. It is the second Barrier, too, that keeps the next
//     iteration from writing what others have not read.
//
// It runs on any number of nodes, and ranks are integers: the same whatever that number.
//
// Verified is what NPB 3.3 and 3.4 do: the ranks of five keys in each of the ten timed iterations, and once, at
// the end, that sorting by rank puts all keys in order: 51 passes.
package is
