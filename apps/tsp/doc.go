// Package tsp finds a shortest round trip through cities by branch and bound: ranks
// take partial tours from a shared stack, and share the best tour known.
//
// It reads as a tutorial:
//
//   - One sync variable guards the stack, and how many ranks are busy with a tour from
//     it; another one guards the best tour. Rank 0 puts the tour that has city 0 alone
//     on the stack, and a first guess as the best.
//   - A rank acquires both, the best tour only to read unless it has found a better
//     one. It pushes what has come of its last tour, takes the topmost one and releases.
//   - A tour of fewer than Config.Depth cities is extended by each city that may follow;
//     those are pushed. A longer one is searched to its end, without looking at anything
//     shared: so the bound is the one of its beginning, or what the rank itself found.
//   - When the stack is empty and nobody is busy, it is over. While others are busy,
//     they may yet push something: the rank looks again after a pause, which grows.
//
// Which tour is found may depend on who was first, its length does not. Rank 0 holds it
// against the optimum by dynamic programming (M. Held and R. M. Karp, J. SIAM 10
// (1962) 196), which bounds the number of cities.
//
// In phase mode the ranks take turns with the stack, and compute one after another:
// the next phase waits for whoever has taken a tour. What gains there is work that is
// shared out beforehand; see apps/workqueue.
package tsp
