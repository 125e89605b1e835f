// Package workqueue performs tasks of unequal length. Ranks take them from a queue in shared
// memory, or the tasks are divided beforehand (Config.Static).
//
// It is a tutorial of a queue (parts.Queue):
//
//   - The queue hands out batches of tasks. The results of each batch are bound to a variable of
//     their own.
//   - A rank computes a batch in private memory, and later writes its results to shared memory.
//   - When the queue is empty all ranks meet in a Barrier. Rank 0 acquires all results and
//     compares each with one that it computes by another method.
//
// With Config.Static batch b belongs to rank b mod N, and a rank acquires the results of all its
// batches at once.
//
// # When a queue pays
//
// In threaded mode a rank waits only while another one takes a batch, so all ranks are busy until
// the queue is empty, however unequal the tasks are. In phase mode ranks deal out all remaining
// batches, and meet again about log2(batches/ranks) times. Whenever they meet, they wait for the
// rank with the longest batch. So a queue costs less than in threaded mode if batches are of
// similar length, and more if a few are much longer than all others (Config.Skew near 1).
package workqueue
