// Package porttest is the conformance suite of the NIC contract: it checks the rules of
// package dimmnet, which every port must keep.
//
//	func TestPort(t *testing.T) {
//		porttest.Run(t, func() dimmnet.Network { return inproc.New(inproc.Config{}) })
//	}
//
// It is not a benchmark, and it does not test what only one network promises (deadlocks that
// name the rank, golden timings); those tests stay with the network. The tests of this package
// run the suite against deliberately broken ports, and it must catch every one.
//
// Sizes come from Limits. Each test gets a fresh network. The bodies keep the rules of
// simulated threads: ranks communicate through their ports only, and wait by dimmnet.Drive
// with small Steppers. A Step that returns false changes nothing and reads the same words in
// the same order each time. A test that must watch memory without idling loads in a loop;
// every clock advances in such a loop.
//
// No test waits without a limit: the context of a run ends after a minute, and if Run then
// does not return, the test fails with the stacks of all goroutines.
//
// Random tests print their seed when they fail; setting PORTTEST_SEED in the environment to it
// repeats the test. -short runs fewer rounds.
//
// Wrap lets other tests observe, refuse or change the calls of a network's ports. The wrappers
// Refusing, Restless, Late and Multicasting use the freedom that the contract leaves to a
// port, and the suite passes on them. Watch detects Steps that break the rules of
// dimmnet.Stepper.
//
// # Limits
//
// The port must have an LLCM of at least 2 KiB plus 5 blocks, and bulk memory of at least 4
// KiB or none. A test runs up to five nodes. An operation whose limit is 0 must panic, and is
// not tested further. A test moves up to 64 KiB at once, except for one Push and one Pull of
// the limit or of 1 MiB.
package porttest
