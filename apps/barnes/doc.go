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
// a variable, and a rank would acquire each one that it looks at: of 4096 bodies there are 1756 cells, and a body has
// 800 interactions. On 16 nodes a tenure of a small variable takes 27 us, which is what (fagus run water --nodes 16 --bind lock)
// takes longer than one with fewer: so to add 256 bodies, one tenure each, were 7 ms in phase mode, and to have a copy of all
// cells more than the 1 ms a step in which all positions come (fagus run barnes --nodes 16: 4.1 to 4.5 ms in four
// acquisitions to write and four to read). To build the whole tree is charged 8 ms a step, and asks nobody.
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
