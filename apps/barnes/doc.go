// Package barnes simulates stars that attract each other, by the tree algorithm of J. Barnes and
// P. Hut (Nature 324 (1986) 446): distant groups of bodies count as one body.
//
// It is a tutorial of work whose distribution is not known beforehand:
//
//   - Every rank has the positions of all bodies in private memory, sorts them along Morton's
//     curve, and builds their tree. The tree is the same at every rank.
//   - The interactions of each body were counted in the last step. The bodies, in the order of
//     the curve, are divided into zones of about equal work. All ranks compute the same zones,
//     so no messages are needed to agree on them.
//   - The next positions and the work of all bodies are in an array, in the order of the curve: 32
//     bytes per body. Each zone has a sync variable. The zones change in every step, and so does
//     what the variables guard (Node.Rebind). A rank moves the bodies of its zone, and then reads
//     all zones. (order.go defines the order; system.go explains why no velocities move.)
//
// The acceleration of a body depends only on the tree, and energies are added as integers. So the
// result has the same bits on any number of ranks.
//
// # Why the tree is not shared
//
// In SPLASH the tree is shared: ranks insert their bodies at the same time, with a lock per cell,
// and follow its pointers. In Fagus each cell would need a sync variable. 4096 bodies have 1756
// cells, and a body has 800 interactions. Package water measures what small variables cost on 16
// nodes (fagus run water --nodes 16 --bind BIND --host-cost off). In phase mode a tenure (the time
// from Acquire to Release) of one variable costs 27 us: lock takes 18.2 ms more than block, for
// 672 more phases. In threaded mode each variable of a set costs 28 us: molecule takes 19.5 ms
// more than block, for 691 more transfers to a rank. A step would then take
//
//	a lock per cell               a tree at every rank
//	insert 256 bodies     7 ms    build the whole tree                   8 ms
//	read 1756 cells      49 ms    write and read all positions           1 ms
//
// The left column favours locks: it counts one lock per inserted body, no waiting for locks near
// the root, and one transfer per cell. The right column is fagus run barnes --nodes 16 --host-cost
// off: 2 us per body, as charged, and 5.0 ms of Acquire in four steps at the rank that computes
// longest.
//
// Building the tree at every rank is work that is not divided. This work is a fifth of a rank's
// computation on 16 nodes, and more than half on 64:
//
//	nodes        1        2        4       16       64
//	steps  1.997 s  1.024 s   547 ms   172 ms    76 ms
//
// # Verification
//
// The program computes the last accelerations of 64 bodies from their last three positions, and
// compares them with direct sums. It also checks that the energy, and the ratio of kinetic and
// potential energy, fit a Plummer model, that the energy is constant, and that the momentum is
// zero. The tolerances follow from the tree and the step (verify.go).
package barnes
