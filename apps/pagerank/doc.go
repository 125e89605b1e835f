// Package pagerank ranks the pages of a graph: the stationary distribution of a reader who follows a
// random link with probability Damping, and otherwise, or where there is none, goes to any page.
//
// It reads as a tutorial:
//
//   - The links are read by every rank, or generated from a seed, and are no shared data. A rank keeps
//     those to its own pages, a block of them (parts.Blocks).
//   - Shared is what a page gives to each that it links to: rank over links. In an iteration a rank acquires
//     all of it to read, and its own block of a second array to write; then the arrays change places. So a slow
//     reader is never overtaken, and the sum at the end of an iteration keeps writers before readers.
//   - That sum (parts.ExactSums) has what pages without links give to all, and how much the ranks have
//     changed. It adds without rounding: so results have the same bits however many ranks there are.
//   - In the end all hand in their ranks, and rank 0 acquires them.
//
// Blocks have as many pages each, not as many links: where neighbours in the file have most of the links, their
// rank has most of the work.
//
// Rank 0 verifies alone: it counts links anew, sends every page's rank along them in the order of the file
// (the program gathers, in the order of pages), and compares; and ranks must sum to 1.
//
// # Files
//
// Read takes edge lists as SNAP has them: lines "from to" of two numbers up to 2^63-1, and comments
// that begin with #. A link that is there twice counts twice, and one to the page itself counts. Pages are the
// numbers that occur. What a file says is not trusted: mistakes name the line, and MaxLinks bounds its size.
package pagerank
