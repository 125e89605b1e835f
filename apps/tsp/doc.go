// Package tsp finds a shortest round trip through cities by branch and bound. Ranks take partial
// tours from a shared stack, and share the best tour known.
//
// It is a tutorial of a shared stack with a termination test:
//
//   - One sync variable is bound to the stack and to the number of busy ranks, which work on a
//     tour from the stack. Another variable is bound to the best tour. At the beginning rank 0
//     pushes the tour that consists of city 0, and stores a first guess as the best tour.
//   - A rank acquires both variables; the best tour shared, unless it has found a better one.
//     It pushes the results of its last tour, takes the topmost tour, and releases.
//   - A tour of fewer than Config.Depth cities is extended by each possible next city, and the
//     results are pushed. A longer tour is searched exhaustively without access to shared data.
//     So the bound is the best tour known at the beginning of the search, or a better one that
//     the rank finds itself.
//   - The search is over when the stack is empty and no rank is busy. Busy ranks may still push
//     tours. So a rank that finds the stack empty tries again after a pause, which grows.
//
// Which tour is found may depend on timing; its length does not. Rank 0 compares the length with
// the optimum by dynamic programming (M. Held and R. M. Karp, J. SIAM 10 (1962) 196), which
// limits the number of cities.
//
// In phase mode the ranks take turns with the stack and compute one after another, because the
// next phase waits for the rank that has taken a tour. Work that is divided beforehand suits
// phase mode better; see apps/workqueue.
package tsp
