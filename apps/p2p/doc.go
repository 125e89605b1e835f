// Package p2p is the kernel Synch_p2p of the Parallel Research Kernels: every point of a grid waits for its left and its
// lower neighbour, so that ranks follow each other through it as in a pipeline.
//
// It reads as a tutorial of what one rank tells another:
//
//   - Ranks have blocks of columns, in plain memory. Shared is the last column of each, which the next rank needs: the
//     edge. Each batch of its rows is guarded by a variable of its own.
//   - A rank acquires at once a batch of the edge on its left, shared, and that of its own edge, exclusive. It computes
//     these rows of its columns, and releases.
//   - An Acquire does not wait for those who have not asked yet, so the first number of a batch says in which
//     iteration it was made: who finds an old one acquires again. Edges are bound from the last rank to the first,
//     and so acquired in this order in threaded mode: a rank has its own edge while it waits for the left one, and the next
//     rank waits for it. That is why old numbers are seldom found there.
//   - The last rank hands the corner, by one more variable, to rank 0, whose next iteration begins with it. So
//     nobody can overtake a slow reader, and no Barrier is needed.
//
// # Where phases hurt
//
// In phase mode every batch is a phase for all ranks, whoever needs it: an iteration on N ranks takes at least
// N-1 phases more than there are batches, and each takes longer the more ranks there are. In threaded
// mode a batch costs the two that it is of, but two requests after each other. So phases are better between few ranks,
// and worse among many. An iteration on 1000 x 1000 points takes so many ms, phase / threaded, on
// simulated nodes (fagus run p2p --iterations 3 --nodes N --batch B --mode M; 20.0 on one):
//
//	nodes          2            4            8           16           32
//	1 row    15.1 / 19.4  13.6 / 17.6  17.4 / 19.1  29.9 / 26.9
//	8 rows   10.9 / 11.4   6.4 /  6.9   4.7 /  4.8   5.4 /  4.6   9.7 /  6.4
//	32 rows  10.7 / 10.8   6.0 /  6.1   3.8 /  3.8   3.4 /  3.0   5.1 /  3.4
//
// Larger batches cost less, and fill the pipeline later. PRK calls more than one row cheating: such a
// rate is none of PRK's.
//
// With 0 to m-1 in the first row and 0 to n-1 in the first column, the last corner is (iterations+1)(m+n-2), since each
// iteration puts its corner, negated, into the first. Verified is that, with a relative error of 1e-8. All numbers
// are integers, and exact while they are below 2^53: so the node count changes no bit. Rank 0 has at least two columns, the
// others one; ranks for which there are none left do nothing.
package p2p
