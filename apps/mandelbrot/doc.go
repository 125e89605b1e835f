// Package mandelbrot counts, for each point of a picture, how many steps of z = z^2 + c it takes
// until |z| > 2.
//
// It reads as a tutorial of work that nobody can share out evenly beforehand:
//
//   - Batches of rows come from a queue (parts.Queue), and each has a sync variable of its own.
//   - A rank acquires the queue together with the batch that it has just done: it writes that, takes the
//     next, releases, and computes in memory of its own. So only what is new moves.
//   - When no batch is left all meet in a Barrier, and rank 0 acquires the picture.
//
// Counts are integers that depend on their point alone: they are the same whoever computes them, on
// every engine, network and number of nodes.
//
// In phase mode a queue is no good, since ranks that want it are granted it one after another
// (apps/workqueue): Config.Static has ranks take batches in turn, without a queue.
//
// Rank 0 verifies some rows, chosen by the seed, by the plain loop. The program leaves out the points of
// the cardioid and of the largest disc, which never leave.
package mandelbrot
