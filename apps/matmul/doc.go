// Package matmul multiplies matrices, C = A x B, as in the Fagus paper (docs/lab/papers.md, Fagus,
// Evaluation in the paper). Rows of C are dealt to the ranks in turn: rank i mod N computes
// row i.
//
// It is a tutorial of one rank that distributes input and collects results:
//
//   - Rank 0 has the input. It acquires everything exclusively, fills A and B, and releases, so
//     that the other ranks find the newest version at rank 0. A Barrier follows.
//   - Then, in the timed section, every rank acquires B and its rows of A shared, and its rows
//     of C exclusively. One communication phase brings all of it. The rank computes on ordinary
//     slices, and releases.
//   - Update moves the rows of C to the rank that had them before: rank 0.
//
// Each row is bound to a sync variable of its own (Config.Sync Row), or all rows of a rank are
// bound to one (Rank), which makes acquire lists shorter and transfers fewer.
//
// The kernel adds up every element of C in the order of k, whatever the blocking and the number
// of ranks, so C has the same bits in every run.
package matmul
