// Package workqueue does tasks of unequal length, which ranks take from a queue in
// shared memory, or which are shared out beforehand (Config.Static).
//
// It reads as a tutorial:
//
//   - The queue (parts.Queue) is one number, that of the next task, guarded by one sync
//     variable. Each batch has its results guarded by a variable of its own.
//   - A rank acquires the number together with the results of the batch that it
//     has done before: writes those, takes the number and adds 1. Then it
//     releases, and computes.
//   - When no batch is left all meet in a Barrier, and rank 0 acquires the results and
//     compares each with one that it finds in another way.
//
// With Config.Static batch b belongs to rank b mod N, and a rank acquires the results
// of all its batches at once.
//
// # What a queue is good for
//
// In threaded mode a rank waits only while another takes a number, so all are busy
// until the queue is empty, however unequal the tasks. In phase mode the ranks all
// ask for the same variable, one of them is granted it in a phase, and the next phase
// does not come before that one has computed: so they compute one after another, and a
// queue is worse than one rank alone. Phases are for work that is shared out beforehand.
package workqueue
