// Package workqueue performs tasks of unequal length. Ranks take them from a queue in shared
// memory, or the tasks are divided beforehand (Config.Static).
//
// It is a tutorial of a shared work queue:
//
//   - The queue (parts.Queue) is a single number, the next task, bound to one sync variable.
//     The results of each batch of tasks are bound to a variable of their own.
//   - A rank acquires the queue together with the results of its last batch. It writes those
//     results and takes the next batch from the queue. Then it releases both, and computes.
//   - When the queue is empty all ranks meet in a Barrier. Rank 0 acquires all results and
//     compares each with one that it computes by another method.
//
// With Config.Static batch b belongs to rank b mod N, and a rank acquires the results of all its
// batches at once.
//
// # When a queue pays
//
// In threaded mode a rank waits only while another one takes a batch, so all ranks are busy until
// the queue is empty, however unequal the tasks are. In phase mode all ranks request the same
// variable, one rank gets it in each phase, and the next phase does not begin before that rank
// has computed. So the ranks compute one after another, and a queue is slower than one rank
// alone. Phase mode suits work that is divided beforehand.
package workqueue
