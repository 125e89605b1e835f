// Package tsp finds a shortest round trip through cities by branch and bound. Ranks take partial
// tours from a pool of tasks, and share the best tour known.
//
// It is a tutorial of a pool of tasks (parts.Pool) that ends when no rank has a task:
//
//   - At the beginning rank 0 has the tour that consists of city 0, and a first guess of the best
//     tour.
//   - A tour of fewer than Config.Depth cities is extended by each possible next city, and the
//     results are new tasks. A longer tour is searched exhaustively without access to shared data.
//   - The best tour is bound to a variable. Ranks acquire it when they exchange tasks; shared,
//     unless they have found a better one. So the bound is the best tour known at the last
//     exchange, or a better one that the rank finds itself.
//
// Which tour is found may depend on timing; its length does not. Rank 0 compares the length with
// the optimum by dynamic programming (M. Held and R. M. Karp, J. SIAM 10 (1962) 196), which
// limits the number of cities.
package tsp
