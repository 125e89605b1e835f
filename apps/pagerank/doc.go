// Package pagerank ranks the pages of a graph. The ranks are the stationary distribution of a
// reader who follows a random link with probability Damping, and otherwise, or on a page without
// links, goes to a random page. (A page's rank is not the rank of a node.)
//
// It is a tutorial of an iteration that reads everything and writes a block:
//
//   - Every node reads all links from the file, or generates them from the seed, and keeps
//     those that lead to its own block of pages (parts.Block). Links are not shared.
//   - The shared data is the contribution of each page to the pages it links to: its rank divided
//     by the number of its links (parts.Whole). In an iteration a node reads all contributions,
//     and writes the contributions of its own pages for the next iteration, in one tenure
//     (Whole.Next).
//   - A sum over all nodes (parts.ExactSums) collects the rank of pages without links, which all
//     pages share, and the total change of ranks. It adds without rounding, so the result has the
//     same bits on any number of nodes.
//   - In the end node 0 gathers the ranks of all pages (parts.Vectors).
//
// Blocks have equal numbers of pages, not of links. Where neighbours in the file attract most of
// the links, their node has most of the work.
//
// Node 0 verifies alone. It counts links again, distributes every page's rank along its links in
// the order of the file (the program gathers contributions page by page), and compares. The ranks
// must also sum to 1.
//
// # Files
//
// Read accepts edge lists in the format of SNAP: lines "from to" of two numbers up to 2^63-1, and
// comments that begin with #. A repeated link counts repeatedly, and a link from a page to itself
// counts. Pages are the numbers that occur. Read does not trust files: errors name the line, and
// MaxLinks limits the size.
package pagerank
