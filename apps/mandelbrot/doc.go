// Package mandelbrot counts, for each point c of a picture, the steps of z = z^2 + c until |z| >
// 2.
//
// It is a tutorial of work that cannot be divided evenly beforehand:
//
//   - Ranks take batches of rows from a queue (parts.Queue). Each batch is bound to a sync
//     variable of its own.
//   - A rank computes a batch in private memory. In threaded mode it acquires the queue together
//     with that batch: it writes the batch, takes the next one from the queue, and releases both.
//     In phase mode ranks share out several batches at a time, and write them at the end.
//   - When the queue is empty all ranks meet in a Barrier, and rank 0 acquires the picture.
//
// Counts are integers that depend only on their points, so they are the same in every mode, on
// every network and on any number of nodes.
//
// Config.Static deals the batches to the ranks in turn instead of taking them from the queue.
//
// Rank 0 verifies some rows, chosen by the seed, by counting every step. The program itself skips
// the points of the cardioid and of the largest disc, which never escape.
package mandelbrot
