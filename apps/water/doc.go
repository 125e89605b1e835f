// Package water simulates the molecular dynamics of a droplet in which every molecule acts on
// every other, like Water n-squared of SPLASH (J. P. Singh, W.-D. Weber and A. Gupta, Computer
// Architecture News 20 (1992) no. 1, 5).
//
// It is a tutorial of data that all ranks add to:
//
//   - Every rank has a block of molecules (parts.Blocks) and moves them. It computes the pairs
//     of each of its molecules with the half of all others that follow it, cyclically. So every
//     pair is computed once.
//   - A rank acquires the positions that it reads, and adds up forces in private memory. Then
//     it acquires the forces on each other block, exclusively, and adds its own sums there.
//     Ranks begin with different blocks.
//   - The owner of a block acquires the forces on it, moves its molecules, and resets the forces
//     to zero. A Fence before the move ensures that all ranks have added and read, and a Fence
//     after it that all have moved.
//   - Forces and momenta are integers (model.go). So the result has the same bits in whatever
//     order they are added, on any number of ranks, and action equals reaction exactly.
//
// # The cost of sync variables
//
// Config.Bind chooses the binding of forces: a variable per rank, a variable per molecule, or
// variables per molecule acquired one after another, as the program of SPLASH locks its
// molecules. Nothing else differs. On 16 nodes, where computing takes 10.9 ms (fagus run water
// --nodes 16 --bind BIND --mode MODE --host-cost off; messages are AOTF, BOTF and PUSH):
//
//	mode      bind        steps    messages  transfers of variables
//	phase     block     14.4 ms     102 000    1971
//	phase     molecule  14.6 ms     103 000   12729
//	phase     lock      32.6 ms     958 000   12729
//	threaded  block     17.5 ms      58 000    2001
//	threaded  molecule  37.0 ms     388 000   13054
//	threaded  lock      34.0 ms     388 000   13027
//
// So many small bindings are the weak point of entry consistency whenever each is requested
// separately. Threaded mode always requests them separately; phase mode does so if each variable
// has a tenure (the time from Acquire to Release), and so a phase, of its own. In one set the
// lists of variables travel together and cost no more messages, only more bytes. It is better to
// add up forces privately first, and to have one variable for data that moves together. With a
// variable per molecule, ranks that add to different molecules never wait for each other. This
// gains nothing here, because ranks begin with different blocks.
//
// # Verification
//
// The momentum is exactly zero. The energy changes by no more than Verlet's method explains. And
// rank 0 alone computes the last potential energy from the last positions by other code, which
// shows that no pair was left out.
//
// Tests compare forces with the gradient of the energy, and two distant molecules with the closed
// form of two dipoles.
package water
