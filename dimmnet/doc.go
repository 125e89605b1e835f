// Package dimmnet is the contract between Fagus and a network interface: the operations of a
// NIC like DIMMnet-1 that the threads of a node can use.
//
// It contains no NIC. The networks that satisfy the contract are packages of their own:
// simulated NICs in dimmnet/sim, live networks in dimmnet/live. One test suite,
// dimmnet/porttest, runs against all of them.
//
// Every node owns a small memory, its LLCM, that peers write and the owner polls. The
// protocols above rely on three rules:
//
//   - Stores, Writes and Multicasts from one rank to another land in the order in which they
//     were posted.
//   - A post that returns false did nothing: the NIC had no free credit or send buffer. No
//     method of a port blocks, except Idle.
//   - A Store, which lies within one 8-byte word, appears in memory as a whole.
//
// Waiting happens in one place, [Drive] ([Until] for a function). It calls Step, and when a Step
// made no progress, it idles until something arrives:
//
//	for !done() {
//		mark := port.Arrivals()          // the mark is taken before the step
//		progress, err := stepper.Step()
//		...
//		if !progress {
//			port.Idle(mark)              // and returns if anything arrived since
//		}
//	}
//
// Taking the mark before the step prevents lost wake-ups: an arrival that the step just missed
// makes Idle return at once.
//
// Hardware limits are data: code reads [Limits] and does not depend on the kind of port.
// DIMMnet-1 calls a Store AOTF and a Write BOTF.
//
// # Design decisions
//
// A [Network] runs whole programs, so the contract also says how a run fails: the first error
// of a body or of a thread that it started fails all ports of the run, and Event.Wait returns
// that error.
//
// A port counts its own work ([Counters]). This lets tests check on every port that, for
// example, compute phases neither send nor poll.
//
// Push and Pull address memory at both ends by Offset. A port without RDMA has Limits.RDMA 0
// and panics on them, as on any size above a limit.
package dimmnet
