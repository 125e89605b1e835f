// Package barnes moves stars that attract each other, by the tree of J. Barnes and P. Hut (Nature 324 (1986) 446): what is far away
// counts as one body.
//
// It reads as a tutorial of work that nobody knows beforehand:
//
//   - All ranks have the positions of all bodies in their own memory, sort them along Morton's curve, and build the tree of
//     them, the same everywhere.
//   - Each body's interactions were counted in the last step. The bodies are cut into zones of about as much work, in the order
//     of the curve: the same cuts at every rank, so nobody has to be told which bodies are its own, nor
//     which ones another rank moves.
//   - A rank moves the bodies of its zone, and puts their positions and their work into its box, for which there is a variable.
//     It declares how much of the box it writes (Request.Writing), so that no more moves. After a Barrier all
//     acquire all boxes to read: 32 bytes a body (order.go, and system.go for why there are no velocities).
//   - Another Barrier, before boxes are filled again, says that all have read them.
//
// A body's acceleration depends on the tree alone, and energies are added as whole numbers: the result has the same bits however
// many ranks there are.
//
// # Why the tree is not shared
//
// In SPLASH the tree is shared: ranks add their bodies to it at once, with a lock a cell, and follow its pointers. A cell would be
// a variable. Of 4096 bodies there are 1756 cells, and a body interacts 800 times. What small variables cost on 16
// nodes apps/water shows (fagus run water --nodes 16 --bind BIND): 27 us for a tenure of one in phase mode (lock against
// block: 18.2 ms for 672 phases more), and in threaded mode 28 us for each variable of a set (molecule against block: 19.5
// ms for 691 transfers more to a rank). Then, in a step,
//
//	a lock a cell                  a tree for everybody
//	to add 256 bodies      7 ms    to build all of it                      8 ms
//	to read 1756 cells    49 ms    to write and to read all positions      1 ms
//
// where the left side is in the favour of locks: one for each body that is added, no waiting for those at the root, and every
// cell only once. The right side is fagus run barnes --nodes 16: 2 us a body, as it is charged, and 4.1 to 4.5 ms of
// Acquire in four steps.
//
// It is work that is not divided. On 16 nodes it is a fifth of what a rank computes, on 64 more than a half:
//
//	nodes        1        2        4       16       64
//	steps  1.997 s  1.024 s   547 ms   172 ms    75 ms
//
// # Verified
//
// Accelerations of 64 bodies in the last step, found from their last three positions, against direct sums, to within what cells leave
// out. The energy of a Plummer model and its ratio of energies, that the energy does not change, and
// that there is no momentum. What is tolerated follows from the tree and the step (verify.go).
package barnes
