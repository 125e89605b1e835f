// Package dimmnet is the contract between Fagus and a network interface: what
// a NIC in the manner of DIMMnet-1 offers to the threads of its node.
//
// It is not a NIC. The ports that satisfy the contract are packages of their
// own: dimmnet/sim (virtual time), dimmnet/inproc (goroutines of one process).
// The same suite, dimmnet/porttest, runs against all of them.
//
// Every node owns a small memory, its LLCM, that peers write and the owner
// polls. Three rules are all that the protocols above rely on:
//
//   - Writes from one rank to another land in the order posted, whatever the
//     method (Store, Write, Multicast).
//   - posted == false means that no credit or window was free and that nothing
//     happened. Nothing blocks inside a port.
//   - A Store, which lies within one 8-byte word, appears at once or not at all.
//
// Waiting happens in one place, [Drive]: step; if the step did nothing, idle
// until something arrives.
//
//	for !done() {
//		mark := port.Arrivals()          // mark before the step,
//		progress, err := stepper.Step()
//		...
//		if !progress {
//			port.Idle(mark)              // idle after it: no lost wake-up
//		}
//	}
//
// Hardware limits are data: code asks [Limits] and never knows which port it
// is on. AOTF is what DIMMnet-1 calls a Store, BOTF what it calls a Write.
//
// # Where this differs from the design
//
// A Network runs a program; how a run fails is part of the contract. What Host.Go
// starts returns an error, which fails the run like a body's; Event.Wait returns
// the error of a run that has failed. A port counts what it does
// (Counters), so that "compute phases neither send nor poll" can be checked on
// every port. Push and Pull name both ends by Offset; a port without RDMA has
// Limits.RDMA 0, and refuses them like any other size above a limit.
package dimmnet
